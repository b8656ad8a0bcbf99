// SPDX-License-Identifier: Apache-2.0
// The ranges that a program has around its steps, on the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/steps/step.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct StepRanges {
  std::string kind;             // "step #", or the requested name
  std::int64_t global_tid = 0;  // of their thread
  std::vector<Step> ranges;     // by start; they do not overlap
  std::int64_t covered_ns = 0;  // by them together
  bool empty() const { return ranges.empty(); }
};

// Ranges one of whose words ends in "step" or is "iteration" or "iter", but for an optimizer's; or,
// with a `name`, those whose name begins with it. Of several kinds ("step #", "forward_step") and
// threads the one that covers the most time. Marks, ranges still open and those of which only a
// part was recorded do not count. `process`: only this one's (-1: any).
StepRanges find_step_ranges(const store::Profile& profile, std::string_view name = "",
                            std::int64_t process = -1);

// All kinds of them, the one that covers the most time first, and of each the thread on which it
// covers the most.
std::vector<StepRanges> step_range_kinds(const store::Profile& profile, std::string_view name = "",
                                         std::int64_t process = -1);

// "step 12" and "step 13" are one kind of range, as "layers.0" and "layers.1" are: "step #".
std::string without_numbers(std::string_view text);

}  // namespace mansard::analysis
