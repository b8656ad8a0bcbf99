// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges that mark the program's steps, on the host.
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
  std::int64_t global_tid = 0;  // their thread
  std::vector<Step> ranges;     // sorted by start; they do not overlap
  std::int64_t covered_ns = 0;  // total duration
  bool empty() const { return ranges.empty(); }
};

// Ranges with a word in their name that ends in "step" or is "iteration" or "iter", except for
// optimizer steps; or, with `name`, those whose name starts with it. Of several kinds ("step #",
// "forward_step") and threads, returns the one that covers the most time. Ignores marks, ranges
// that are still open and ranges recorded only partly. `process`: only this one (-1: any).
StepRanges find_step_ranges(const store::Profile& profile, std::string_view name = "",
                            std::int64_t process = -1);

// All kinds of step ranges, each on the thread where it covers the most time; the kind that covers
// the most time first.
std::vector<StepRanges> step_range_kinds(const store::Profile& profile, std::string_view name = "",
                                         std::int64_t process = -1);

// Replaces numbers by "#": "step 12" and "step 13" are the same kind of range, "step #".
std::string without_numbers(std::string_view text);

}  // namespace mansard::analysis
