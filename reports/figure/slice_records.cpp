// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_records.h"

#include <algorithm>

namespace mansard {
namespace {

template <class Record>
const Record* record_of(const std::vector<Record>& records, const Slice& slice,
                        std::int32_t device_id) {
  auto at = std::ranges::lower_bound(records, slice.start_ns, {}, &Record::start_ns);
  for (; at != records.end() && at->start_ns == slice.start_ns; ++at) {
    if (at->end_ns == slice.end_ns && at->device_id == device_id) return &*at;
  }
  return nullptr;
}

template <class Record>
std::int64_t bytes_of(const Record* record) {
  return record == nullptr ? 0 : record->bytes;
}

}  // namespace

std::int64_t SliceRecords::queued_ns(const Slice& slice, std::int32_t device_id) const {
  const KernelRecord* kernel = record_of(profile_.kernels, slice, device_id);
  const ApiRecord* call = kernel == nullptr ? nullptr : calls_.find(kernel->correlation_id);
  // Clocks of host and device agree to about a microsecond: a call may seem to come after its work.
  return call == nullptr ? -1 : std::max<std::int64_t>(0, kernel->start_ns - call->start_ns);
}

std::int64_t SliceRecords::copied_bytes(const Slice& slice, std::int32_t device_id) const {
  return bytes_of(record_of(profile_.memcpys, slice, device_id));
}

std::int64_t SliceRecords::filled_bytes(const Slice& slice, std::int32_t device_id) const {
  return bytes_of(record_of(profile_.memsets, slice, device_id));
}

}  // namespace mansard
