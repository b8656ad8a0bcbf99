// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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

struct Extent {  // no work: ends before it starts
  std::int64_t start_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;

  void include(const DeviceWork& work) {
    start_ns = std::min(start_ns, work.start_ns);
    end_ns = std::max(end_ns, work.end_ns);
  }
};

class Extents {
 public:
  explicit Extents(std::size_t ranges) : ranges_(ranges) {}

  void include(std::size_t range, const DeviceWork& work) {
    std::vector<Extent>& extents = devices_[work.device_id].of_range;
    if (extents.empty()) extents.resize(ranges_);
    extents[range].include(work);
  }
  // Work of one launch of a graph, whose nodes were created in the range.
  void include(std::size_t range, std::size_t call, const DeviceWork& work) {
    devices_[work.device_id].of_graph_launch[{range, call}].include(work);
  }

  std::vector<DeviceRange> list() const {
    std::vector<DeviceRange> all;
    for (const auto& [device_id, extents] : devices_) {
      for (std::size_t i = 0; i < extents.of_range.size(); ++i) {
        const Extent& extent = extents.of_range[i];
        if (extent.start_ns > extent.end_ns) continue;
        all.push_back({i, device_id, extent.start_ns, extent.end_ns});
      }
      for (const auto& [key, extent] : extents.of_graph_launch) {
        all.push_back({key.first, device_id, extent.start_ns, extent.end_ns});
      }
    }
    std::ranges::stable_sort(
        all, {}, [](const DeviceRange& r) { return std::tuple(r.device_id, r.nvtx, r.start_ns); });
    return all;
  }

 private:
  struct OfDevice {
    std::vector<Extent> of_range;
    std::map<std::pair<std::size_t, std::size_t>, Extent> of_graph_launch;  // by range, API call
  };
  std::size_t ranges_;
  std::map<std::int32_t, OfDevice> devices_;
};

}  // namespace

std::vector<DeviceRange> device_ranges(const store::Profile& profile, const LaunchTable& launches,
                                       const std::string& step_range) {
  Extents extents(profile.nvtx.size());
  const LaunchRanges ranges(profile, step_range);
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    const std::optional<std::size_t> call = launches.call(launch);
    const DeviceWork work = work_of(profile, launches, launch);
    if (!call || !store::has_times(work.start_ns, work.end_ns)) continue;
    const store::ApiRecord record = profile.api_calls[*call];
    for (const std::size_t range : ranges.around(profile, launches, launch)) {
      if (!is_whole_range(profile.nvtx[range])) continue;
      if (ended_before(profile.nvtx[range], record)) {
        extents.include(range, *call, work);
      } else {
        extents.include(range, work);
      }
    }
  }
  return extents.list();
}

}  // namespace mansard::analysis
