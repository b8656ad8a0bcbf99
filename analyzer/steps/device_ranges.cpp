// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <algorithm>
#include <map>

#include "analyzer/steps/launch_calls.h"
#include "analyzer/steps/open_ranges.h"

namespace mansard::analysis {

namespace {

// Work of one device, where and when it was launched.
struct LaunchedWork {
  std::int64_t launched_ns;
  std::int64_t global_tid;
  std::int32_t device_id;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

// In the order of the calls.
std::vector<LaunchedWork> launched_work(const store::Profile& profile) {
  const LaunchCalls calls(profile);
  std::vector<LaunchedWork> work;
  const auto add = [&](const auto& records) {
    for (const auto& r : records) {
      if (r.correlation_id == 0 || !store::has_times(r.start_ns, r.end_ns)) continue;
      const std::optional<store::ApiRecord> call = calls.find(r.correlation_id);
      if (!call) continue;
      work.push_back({call->start_ns, call->global_tid, r.device_id, r.start_ns, r.end_ns});
    }
  };
  add(profile.kernels);
  add(profile.memcpys);
  add(profile.memsets);
  add(profile.graphs);
  if (!std::ranges::is_sorted(work, {}, &LaunchedWork::launched_ns)) {
    std::ranges::stable_sort(work, {}, &LaunchedWork::launched_ns);
  }
  return work;
}

// By device and range.
class Extents {
 public:
  explicit Extents(std::size_t ranges) : ranges_(ranges) {}

  void include(std::size_t range, const LaunchedWork& work) {
    std::vector<Extent>& extents = devices_[work.device_id];
    if (extents.empty()) extents.resize(ranges_);
    Extent& extent = extents[range];
    extent.start_ns = std::min(extent.start_ns, work.start_ns);
    extent.end_ns = std::max(extent.end_ns, work.end_ns);
  }

  std::vector<DeviceRange> list() const {
    std::vector<DeviceRange> all;
    for (const auto& [device_id, extents] : devices_) {
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const Extent& extent = extents[i];
        if (extent.start_ns > extent.end_ns) continue;
        all.push_back({i, device_id, extent.start_ns, extent.end_ns});
      }
    }
    return all;
  }

 private:
  struct Extent {  // no work: ends before it starts
    std::int64_t start_ns = INT64_MAX;
    std::int64_t end_ns = INT64_MIN;
  };
  std::size_t ranges_;
  std::map<std::int32_t, std::vector<Extent>> devices_;
};

}  // namespace

std::vector<DeviceRange> device_ranges(const store::Profile& profile,
                                       const std::string& steps_range) {
  Extents extents(profile.nvtx.size());
  OpenRanges open(profile, steps_range);
  for (const LaunchedWork& work : launched_work(profile)) {
    open.around(work.launched_ns, work.global_tid,
                [&](std::size_t range) { extents.include(range, work); });
  }
  return extents.list();
}

}  // namespace mansard::analysis
