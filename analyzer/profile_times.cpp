// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile_times.h"

#include <algorithm>
#include <optional>

namespace mansard::analysis {
namespace {

class Earliest {
 public:
  // All lists of a profile are sorted by start: the first valid record is the earliest.
  template <class Records, class IsValid, class TimeOf>
  void see(const Records& records, IsValid is_valid, TimeOf time_of) {
    for (const auto& record : records) {
      if (!is_valid(record)) continue;
      const std::int64_t time_ns = time_of(record);
      time_ns_ = time_ns_ ? std::min(*time_ns_, time_ns) : time_ns;
      return;
    }
  }

  template <class Records>
  void see_timed(const Records& records) {
    see(
        records,
        [](const auto& record) { return store::has_times(record.start_ns, record.end_ns); },
        [](const auto& record) { return record.start_ns; });
  }

  std::int64_t time_ns() const { return time_ns_.value_or(0); }

 private:
  std::optional<std::int64_t> time_ns_;
};

// Includes ranges that are still open when the recording ends.
bool is_range_or_mark(const store::NvtxRecord& record) {
  return record.type == store::NvtxEventType::push_pop ||
         record.type == store::NvtxEventType::start_end ||
         record.type == store::NvtxEventType::mark;
}

}  // namespace

std::int64_t time_zero_ns(const store::Profile& profile) {
  Earliest earliest;
  earliest.see_timed(profile.api_calls);
  earliest.see(profile.nvtx, is_range_or_mark, [](const auto& record) { return record.start_ns; });
  earliest.see_timed(profile.kernels);
  earliest.see_timed(profile.memcpys);
  earliest.see_timed(profile.memsets);
  earliest.see_timed(profile.graphs);
  const auto any = [](const auto&) { return true; };
  earliest.see(profile.device_states, any, [](const auto& sample) { return sample.timestamp_ns; });
  earliest.see(profile.gpu_metrics, any, [](const auto& sample) { return sample.end_ns; });
  return earliest.time_ns();
}

std::int64_t launch_latency_ns(const store::ApiRecord& call, std::int64_t device_start_ns) {
  return std::max<std::int64_t>(0, device_start_ns - call.start_ns);
}

}  // namespace mansard::analysis
