// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <algorithm>
#include <limits>
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

// The ranges of one device. Work must be included in the order of its API calls.
class DeviceExtents {
 public:
  explicit DeviceExtents(std::size_t ranges) : last_(ranges, kNone), call_(ranges, kNone) {}

  // `call`: launched work of a graph whose nodes were created in the range; kNone: otherwise.
  void include(std::size_t range, std::size_t call, const DeviceWork& work) {
    if (last_[range] == kNone || call_[range] != call) {
      last_[range] = list_.size();
      call_[range] = call;
      list_.push_back({range, work.device_id, work.start_ns, work.end_ns});
      return;
    }
    DeviceRange& extent = list_[last_[range]];
    extent.start_ns = std::min(extent.start_ns, work.start_ns);
    extent.end_ns = std::max(extent.end_ns, work.end_ns);
  }

  std::vector<DeviceRange> take() {
    std::ranges::sort(
        list_, {}, [](const DeviceRange& r) { return std::tuple(r.nvtx, r.start_ns, r.end_ns); });
    return std::move(list_);
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

 private:
  std::vector<DeviceRange> list_;
  std::vector<std::size_t> last_;  // by range: its last entry in list_
  std::vector<std::size_t> call_;  // by range: the call of that entry
};

}  // namespace

std::vector<DeviceRange> device_ranges(const store::Profile& profile, const LaunchTable& launches,
                                       const std::string& step_range) {
  std::map<std::int32_t, DeviceExtents> devices;
  const LaunchRanges ranges(profile, step_range);
  for (const std::size_t launch : launches.in_call_order()) {
    const DeviceWork work = work_of(profile, launches, launch);
    if (!store::has_times(work.start_ns, work.end_ns)) continue;
    const std::size_t call = *launches.call(launch);
    const store::ApiRecord record = profile.api_calls[call];
    DeviceExtents& extents = devices.try_emplace(work.device_id, profile.nvtx.size()).first->second;
    for (const std::size_t range : ranges.around(profile, launches, launch)) {
      if (!is_whole_range(profile.nvtx[range])) continue;
      const bool of_graph = ended_before(profile.nvtx[range], record);
      extents.include(range, of_graph ? call : DeviceExtents::kNone, work);
    }
  }
  std::vector<DeviceRange> all;
  for (auto& [device_id, extents] : devices) {
    const std::vector<DeviceRange> of_device = extents.take();
    all.insert(all.end(), of_device.begin(), of_device.end());
  }
  return all;
}

}  // namespace mansard::analysis
