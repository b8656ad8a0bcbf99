// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_records.h"

#include <algorithm>
#include <optional>

namespace mansard {
namespace {

template <class Records>
std::optional<typename Records::value_type> record_of(const Records& records, const Slice& slice,
                                                      std::int32_t device_id) {
  auto at = std::ranges::lower_bound(records, slice.start_ns, {}, &Records::value_type::start_ns);
  for (; at != records.end() && at->start_ns == slice.start_ns; ++at) {
    if (at->end_ns == slice.end_ns && at->device_id == device_id) return *at;
  }
  return std::nullopt;
}

template <class Record>
std::int64_t bytes_of(const std::optional<Record>& record) {
  return record ? record->bytes : 0;
}

}  // namespace

std::int64_t SliceRecords::queued_ns(const Slice& slice, std::int32_t device_id) const {
  const std::optional<KernelRecord> kernel = record_of(profile_.kernels, slice, device_id);
  if (!kernel) return -1;
  const std::optional<ApiRecord> call = calls_.find(kernel->correlation_id);
  // Clocks of host and device agree to about a microsecond: a call may seem to come after its work.
  return call ? std::max<std::int64_t>(0, kernel->start_ns - call->start_ns) : -1;
}

std::int64_t SliceRecords::copied_bytes(const Slice& slice, std::int32_t device_id) const {
  return bytes_of(record_of(profile_.memcpys, slice, device_id));
}

std::int64_t SliceRecords::filled_bytes(const Slice& slice, std::int32_t device_id) const {
  return bytes_of(record_of(profile_.memsets, slice, device_id));
}

}  // namespace mansard
