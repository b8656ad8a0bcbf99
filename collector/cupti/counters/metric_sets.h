// SPDX-License-Identifier: Apache-2.0
// What `mansard profile --counters` reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/cupti/counters/metric_plan.h"

namespace mansard::collector {

struct MetricSet {
  std::vector<std::string> metrics;
  Passes passes = Passes::one_each;
};

// Of kernels. A duration of the GPU's own clock, and the clock that it ran at.
inline constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";
inline constexpr std::string_view kClockMetric = "gpc__cycles_elapsed.avg.per_second";

// "roofline": duration, clock, bytes of every tier and operations of every precision. "full": more,
// of how busy the units were and why warps waited, in one replayed group. Else metric names
// separated by commas, as Nsight Compute has them. `compute_capability` is 10 * major + minor.
// Throws std::invalid_argument.
MetricSet metric_set(std::string_view name, int compute_capability);

// 10 * major + minor of a chip by CUPTI's name for it; none for one that is not known here.
std::optional<int> compute_capability_of_chip(std::string_view chip);

// For such a chip: newer than this program, it is more like the newest than like the oldest.
inline constexpr int kNewestCapability = 120;

}  // namespace mansard::collector
