// SPDX-License-Identifier: Apache-2.0
// The steps of a program, as its annotated ranges tell them, and which step launched a kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/profile.h"

namespace mansard {

struct Step {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct StepRange {
  std::string prefix;
  std::vector<Step> steps;  // by start; they do not overlap
  bool empty() const { return steps.empty(); }
};

// Ranges of any thread whose name begins with `prefix`, without those inside another and without
// those of which only a part was recorded: what `mansard profile --steps` counts.
StepRange find_steps(const Profile& profile, std::string_view prefix);

// The first of the usual names of steps (step, train_step, iteration, ProfilerStep) of which the
// profile has at least two; empty when there is none.
StepRange find_usual_steps(const Profile& profile);

// The beginnings of names of steps that find_usual_steps() looks for.
const std::vector<std::string>& usual_step_prefixes();

// When the kernels, copies and fills were launched: by their API calls, on whatever thread. A
// backward pass has a thread of its own, but runs within its step.
class LaunchTimes {
 public:
  explicit LaunchTimes(const Profile& profile);

  // The start on the device where no call was recorded.
  std::int64_t of(std::int64_t correlation_id, std::int64_t start_ns) const;

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> call_start_ns_;  // by correlation id
};

// Index of the step that holds `time_ns`; nothing between steps.
std::optional<std::size_t> step_at(const StepRange& range, std::int64_t time_ns);

}  // namespace mansard
