// SPDX-License-Identifier: Apache-2.0
// A step of a training run, as used by all analyses, pages and figures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mansard::analysis {

enum class StepOrigin {
  ranges,  // marked by ranges, see find_step_ranges()
  period,  // no such range: launches that repeat, see find_repetition()
  whole,   // neither: the whole profile counts as one step
};

struct Step {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  // Launches whose hardware counters were read in it, without a record, and pauses for reading.
  std::int64_t readings = 0;
  std::int64_t duration_ns() const { return end_ns - start_ns; }
};

// The steps of one device. A step starts at the end of the previous step's last activity and ends
// with its own last activity: steps have no gaps, and their times add up to the run time.
struct Steps {
  std::int32_t device_id = 0;
  StepOrigin origin = StepOrigin::whole;
  std::string how;  // how the steps were found, for display
  std::vector<Step> steps;
};

// Index of the step that contains `time_ns`, start inclusive, end exclusive; empty: none. `steps`
// must be sorted by start and must not overlap.
inline std::optional<std::size_t> step_at(const std::vector<Step>& steps, std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(steps, time_ns, {}, &Step::start_ns);
  if (after == steps.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

}  // namespace mansard::analysis
