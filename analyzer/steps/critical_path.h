// SPDX-License-Identifier: Apache-2.0
// The chain of work and waiting that a step's length is made of.
#pragma once

#include <vector>

#include "analyzer/steps/device_timeline.h"
#include "analyzer/steps/idle_causes.h"

namespace mansard::analysis {

// A link of the chain: an activity, or, where `activity` is nullptr, the wait before `next`.
struct PathLink {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  const DeviceActivity* activity = nullptr;
  const DeviceActivity* next = nullptr;
};

// From the end backwards: what ended last; before it, what had ended last when that began, since
// whatever still ran then was not waited for; and so on. What a stream waits for by events is not
// recorded, so that the latest end before a begin stands for it: of streams that have nothing to do
// with each other the chain may take the wrong one. The links follow each other without gap from
// `end_ns` down to `start_ns`.
class CriticalPath {
 public:
  // `activities` of one device; they must stay where they are.
  explicit CriticalPath(const std::vector<DeviceActivity>& activities);

  std::vector<PathLink> links(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  std::vector<const DeviceActivity*> by_end_;
};

}  // namespace mansard::analysis
