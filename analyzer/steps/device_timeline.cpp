// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_timeline.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

namespace mansard::analysis {

namespace {

constexpr std::size_t kKinds = 5;

// The running activities by kind, sorted by start.
class Running {
 public:
  void begin(const DeviceActivity& activity) {
    queues_[static_cast<std::size_t>(activity.kind)].push_back(&activity);
  }

  // Removes ended activities at the front only, so each is visited at most twice.
  const DeviceActivity* owner(std::int64_t now_ns) {
    for (std::size_t kind = kKinds; kind-- > 0;) {
      std::deque<const DeviceActivity*>& queue = queues_[kind];
      while (!queue.empty() && queue.front()->end_ns <= now_ns) queue.pop_front();
      if (!queue.empty()) return queue.front();
    }
    return nullptr;
  }

  // End of the first running collective; `now_ns` if there is none.
  std::int64_t communicates_until(std::int64_t now_ns) {
    std::deque<const DeviceActivity*>& queue =
        queues_[static_cast<std::size_t>(ActivityKind::communication)];
    while (!queue.empty() && queue.front()->end_ns <= now_ns) queue.pop_front();
    return queue.empty() ? now_ns : queue.front()->end_ns;
  }

 private:
  std::array<std::deque<const DeviceActivity*>, kKinds> queues_;
};

}  // namespace

std::vector<DeviceActivity> device_activities(const store::Profile& profile,
                                              const LaunchTable& launches, std::int32_t device_id) {
  std::vector<DeviceActivity> all;
  const auto add = [&](const auto& records, LaunchKind launch_kind, ActivityKind kind) {
    const auto first = static_cast<std::uint32_t>(launches.of(launch_kind, 0));
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& r = records[i];
      if (r.device_id != device_id || !store::has_times(r.start_ns, r.end_ns)) continue;
      all.push_back({r.start_ns, r.end_ns, first + static_cast<std::uint32_t>(i), -1, kind});
    }
  };
  add(profile.kernels, LaunchKind::kernel, ActivityKind::compute);
  add(profile.memcpys, LaunchKind::memcpy, ActivityKind::memcpy);
  add(profile.memsets, LaunchKind::memset, ActivityKind::memset);
  add(profile.graphs, LaunchKind::graph, ActivityKind::graph);
  const auto before = [](const DeviceActivity& a, const DeviceActivity& b) {
    return a.start_ns < b.start_ns;
  };
  if (!std::is_sorted(all.begin(), all.end(), before)) {
    std::stable_sort(all.begin(), all.end(), before);
  }
  return all;
}

std::vector<std::int32_t> active_devices(const store::Profile& profile) {
  std::set<std::int32_t> devices;
  for (const store::KernelRecord& kernel : profile.kernels) devices.insert(kernel.device_id);
  for (const store::GraphRecord& graph : profile.graphs) devices.insert(graph.device_id);
  if (devices.empty()) {
    for (const store::MemcpyRecord& copy : profile.memcpys) devices.insert(copy.device_id);
    for (const store::MemsetRecord& fill : profile.memsets) devices.insert(fill.device_id);
  }
  return {devices.begin(), devices.end()};
}

void for_each_slice(const std::vector<DeviceActivity>& activities, std::int64_t start_ns,
                    std::int64_t end_ns, const std::function<void(const TimeSlice&)>& take) {
  Running running;
  std::int64_t now_ns = start_ns;
  const auto advance = [&](std::int64_t to_ns, const DeviceActivity* next) {
    while (now_ns < to_ns) {
      TimeSlice slice{now_ns, to_ns, running.owner(now_ns), nullptr, false};
      if (slice.activity == nullptr) {
        slice.next = next;
      } else {
        slice.end_ns = std::min(to_ns, slice.activity->end_ns);
        const std::int64_t until_ns = running.communicates_until(now_ns);
        slice.communicates = until_ns > now_ns;
        if (slice.communicates) slice.end_ns = std::min(slice.end_ns, until_ns);
      }
      take(slice);
      now_ns = slice.end_ns;
    }
  };
  for (const DeviceActivity& activity : activities) {
    if (activity.start_ns >= end_ns) {
      // It still ends the last idle slice, which the window cuts.
      advance(end_ns, &activity);
      return;
    }
    if (activity.end_ns <= start_ns) continue;
    advance(activity.start_ns, &activity);
    running.begin(activity);
  }
  advance(end_ns, nullptr);
}

}  // namespace mansard::analysis
