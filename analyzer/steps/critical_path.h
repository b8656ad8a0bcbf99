// SPDX-License-Identifier: Apache-2.0
// The critical path: the chain of activities and waits from start to end of a step.
#pragma once

#include <vector>

#include "analyzer/steps/device_timeline.h"
#include "analyzer/steps/idle_causes.h"

namespace mansard::analysis {

// A link of the path: an activity or, if `activity` is nullptr, the wait before `next`.
struct PathLink {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  const DeviceActivity* activity = nullptr;
  const DeviceActivity* next = nullptr;
};

// Built backwards from the end: the predecessor of an activity is the last one that had ended when
// it started. Event waits between streams are not recorded, so the latest end before a start stands
// for the dependency; with independent streams the path may take the wrong one. The links cover the
// time from `end_ns` down to `start_ns` without gaps.
class CriticalPath {
 public:
  // `activities`: of one device; they must outlive this and must not move.
  explicit CriticalPath(const std::vector<DeviceActivity>& activities);

  std::vector<PathLink> links(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  std::vector<const DeviceActivity*> by_end_;
};

}  // namespace mansard::analysis
