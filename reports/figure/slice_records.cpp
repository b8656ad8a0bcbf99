// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_records.h"

#include <algorithm>

namespace mansard::figure {
namespace {

template <class Records>
std::optional<typename Records::value_type> record_of(const Records& records, const Slice& slice,
                                                      const TimelineTrack& track) {
  auto at = std::ranges::lower_bound(records, slice.start_ns, {}, &Records::value_type::start_ns);
  for (; at != records.end() && at->start_ns == slice.start_ns; ++at) {
    if (at->end_ns == slice.end_ns && at->device_id == track.device_id &&
        at->context_id == track.queue.context_id && at->stream_id == track.queue.stream_id) {
      return *at;
    }
  }
  return std::nullopt;
}

template <class Record>
std::int64_t bytes_of(const std::optional<Record>& record) {
  return record ? record->bytes : 0;
}

}  // namespace

std::optional<store::ApiRecord> SliceRecords::launch_call(const Slice& slice,
                                                          const TimelineTrack& track) const {
  const std::optional<store::KernelRecord> kernel = record_of(profile_.kernels, slice, track);
  if (!kernel || kernel->correlation_id == 0) return std::nullopt;
  return calls_.find(kernel->correlation_id);
}

std::string SliceRecords::ranges_around(const store::ApiRecord& call) const {
  std::string text;
  for (const std::size_t range : stacks_.around(profile_, call.global_tid, call.start_ns)) {
    const store::NvtxRecord record = profile_.nvtx[range];
    if (!text.empty()) text += " \u203a ";  // as the window separates them
    text += analysis::range_name(profile_, record);
  }
  return text;
}

std::int64_t SliceRecords::copied_bytes(const Slice& slice, const TimelineTrack& track) const {
  return bytes_of(record_of(profile_.memcpys, slice, track));
}

std::int64_t SliceRecords::filled_bytes(const Slice& slice, const TimelineTrack& track) const {
  return bytes_of(record_of(profile_.memsets, slice, track));
}

}  // namespace mansard::figure
