// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <algorithm>
#include <map>

#include "analyzer/attribution/range_stacks.h"

namespace mansard::analysis {

namespace {

struct DeviceWork {
  std::int32_t device_id;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

DeviceWork work_of(const store::Profile& profile, const LaunchTable& launches, std::size_t launch) {
  const auto work = [](const auto& r) { return DeviceWork{r.device_id, r.start_ns, r.end_ns}; };
  const std::size_t record = launches.record(launch);
  switch (launches.kind(launch)) {
    case LaunchKind::kernel:
      return work(profile.kernels[record]);
    case LaunchKind::memcpy:
      return work(profile.memcpys[record]);
    case LaunchKind::memset:
      return work(profile.memsets[record]);
    case LaunchKind::graph:
      return work(profile.graphs[record]);
  }
  return {};
}

// By device and range.
class Extents {
 public:
  explicit Extents(std::size_t ranges) : ranges_(ranges) {}

  void include(std::size_t range, const DeviceWork& work) {
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

std::vector<DeviceRange> device_ranges(const store::Profile& profile, const LaunchTable& launches,
                                       const std::string& step_range) {
  Extents extents(profile.nvtx.size());
  // Only the ranges around the launch: the kernels of a graph run once per launch, long after the
  // ranges in which it was created.
  const RangeStacks stacks(profile, step_range);
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    const std::optional<std::size_t> index = launches.call(launch);
    const DeviceWork work = work_of(profile, launches, launch);
    if (!index || !store::has_times(work.start_ns, work.end_ns)) continue;
    const store::ApiRecord call = profile.api_calls[*index];
    for (const std::size_t range : stacks.around(profile, call.global_tid, call.start_ns)) {
      if (is_whole_range(profile.nvtx[range])) extents.include(range, work);
    }
  }
  return extents.list();
}

}  // namespace mansard::analysis
