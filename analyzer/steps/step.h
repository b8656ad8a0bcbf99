// SPDX-License-Identifier: Apache-2.0
// A step of a training run, as every analysis, page and picture uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mansard::analysis {

enum class StepOrigin {
  ranges,  // NVTX ranges such as "step 3", "ProfilerStep#3" or "train_step"
  period,  // no such range: kernels that repeat in the same order
  whole,   // neither: the whole profile counts as one step
};

struct Step {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t readings = 0;  // launches in it whose hardware counters were read
  std::int64_t duration_ns() const { return end_ns - start_ns; }
};

// The steps of one device. Each starts where the last work of the one before ends, and ends where
// its own last work does. So they have no gaps, and their times add up to the run's.
struct Steps {
  std::int32_t device_id = 0;
  StepOrigin origin = StepOrigin::whole;
  std::string how;  // they were found, in words, for a reader
  std::vector<Step> steps;
};

// Index of the step that holds `time_ns`; none between steps. An end belongs to what follows.
// `steps` are ordered by start and do not overlap.
inline std::optional<std::size_t> step_at(const std::vector<Step>& steps, std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(steps, time_ns, {}, &Step::start_ns);
  if (after == steps.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

}  // namespace mansard::analysis
