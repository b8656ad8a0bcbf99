// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/critical_path.h"

#include <algorithm>

namespace mansard::analysis {

CriticalPath::CriticalPath(const std::vector<DeviceActivity>& activities) {
  by_end_.reserve(activities.size());
  for (const DeviceActivity& activity : activities) {
    // An activity with zero duration would be its own predecessor.
    if (activity.end_ns > activity.start_ns) by_end_.push_back(&activity);
  }
  // Among activities that end together, the longest is last: the path goes through it.
  const auto before = [](const DeviceActivity* a, const DeviceActivity* b) {
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->start_ns > b->start_ns;
  };
  // Activities of a single stream are in order.
  if (!std::ranges::is_sorted(by_end_, before)) std::ranges::stable_sort(by_end_, before);
}

std::vector<PathLink> CriticalPath::links(std::int64_t start_ns, std::int64_t end_ns) const {
  std::vector<PathLink> links;
  std::int64_t now_ns = end_ns;
  const DeviceActivity* next = nullptr;
  while (now_ns > start_ns) {
    const auto after = std::upper_bound(
        by_end_.begin(), by_end_.end(), now_ns,
        [](std::int64_t time_ns, const DeviceActivity* a) { return time_ns < a->end_ns; });
    const DeviceActivity* last = after == by_end_.begin() ? nullptr : *(after - 1);
    const std::int64_t ended_ns = last == nullptr ? start_ns : std::max(start_ns, last->end_ns);
    if (ended_ns < now_ns) links.push_back({ended_ns, now_ns, nullptr, next});
    if (last == nullptr || last->end_ns <= start_ns) break;
    const std::int64_t began_ns = std::max(start_ns, last->start_ns);
    links.push_back({began_ns, last->end_ns, last, nullptr});
    now_ns = began_ns;
    next = last;
  }
  return links;
}

}  // namespace mansard::analysis
