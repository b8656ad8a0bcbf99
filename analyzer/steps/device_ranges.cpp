// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/steps/launch_calls.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard {

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
std::vector<LaunchedWork> launched_work(const Profile& profile) {
  const LaunchCalls calls(profile);
  std::vector<LaunchedWork> work;
  const auto add = [&](const auto& records) {
    for (const auto& r : records) {
      if (r.correlation_id == 0 || !has_times(r.start_ns, r.end_ns)) continue;
      const ApiRecord* call = calls.find(r.correlation_id);
      if (call == nullptr) continue;
      work.push_back({call->start_ns, call->global_tid, r.device_id, r.start_ns, r.end_ns});
    }
  };
  add(profile.kernels);
  add(profile.memcpys);
  add(profile.memsets);
  add(profile.graphs);
  std::stable_sort(work.begin(), work.end(), [](const LaunchedWork& a, const LaunchedWork& b) {
    return a.launched_ns < b.launched_ns;
  });
  return work;
}

bool is_range(const NvtxRecord& record) {
  return (record.type == NvtxEventType::push_pop || record.type == NvtxEventType::start_end) &&
         record.end_ns >= record.start_ns;
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

std::vector<DeviceRange> device_ranges(const Profile& profile, const std::string& steps_range) {
  Extents extents(profile.nvtx.size());
  std::unordered_map<std::int64_t, std::vector<std::size_t>> open;  // by thread
  std::size_t next = 0;
  const auto open_until = [&](std::int64_t time_ns) {
    for (; next < profile.nvtx.size() && profile.nvtx[next].start_ns <= time_ns; ++next) {
      const NvtxRecord& range = profile.nvtx[next];
      if (is_range(range)) open[range.global_tid].push_back(next);
    }
  };
  const auto include_open = [&](std::int64_t global_tid, const LaunchedWork& work) {
    const auto thread = open.find(global_tid);
    if (thread == open.end()) return;
    // Ranges need not nest: one that is over may lie below one that is not.
    std::erase_if(thread->second,
                  [&](std::size_t i) { return profile.nvtx[i].end_ns <= work.launched_ns; });
    for (const std::size_t range : thread->second) extents.include(range, work);
  };
  std::unordered_map<std::int64_t, std::int64_t> stepping_tids;  // by process; 0: no steps
  for (const LaunchedWork& work : launched_work(profile)) {
    open_until(work.launched_ns);
    include_open(work.global_tid, work);
    const std::int64_t process = process_of(work.global_tid);
    const auto [stepping, is_new] = stepping_tids.try_emplace(process, 0);
    if (is_new) stepping->second = find_step_ranges(profile, steps_range, process).global_tid;
    if (stepping->second != 0 && stepping->second != work.global_tid) {
      include_open(stepping->second, work);
    }
  }
  return extents.list();
}

}  // namespace mansard
