// SPDX-License-Identifier: Apache-2.0
// The metric sets of `mansard profile --counters`.
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

// The clock rate of the SMs.
inline constexpr std::string_view kClockMetric = "gpc__cycles_elapsed.avg.per_second";

// "roofline": clock rate, bytes of every memory tier and operations of every precision, read in
// several launches. "auto": the same without bytes over NVLink and PCIe, which need a group of
// their own. "full": also the duration, utilization of units and warp stall reasons, in one
// replayed group. Otherwise comma-separated Nsight Compute metric names. `compute_capability` is 10
// * major + minor. Throws std::invalid_argument.
MetricSet metric_set(std::string_view name, int compute_capability);

// Returns 10 * major + minor for CUPTI's name of a chip, or nothing for an unknown chip.
std::optional<int> compute_capability_of_chip(std::string_view chip);

// Used for an unknown chip: it is probably newer than this program, and most like the newest known
// chip.
inline constexpr int kNewestCapability = 120;

}  // namespace mansard::collector
