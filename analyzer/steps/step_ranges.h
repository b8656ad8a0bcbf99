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

// How ranges mark steps, in order of precedence.
enum class StepMarker {
  named,        // the program or its framework names them as steps
  xla_step,     // executions of an XLA program with "step" in its name
  xla_program,  // likewise, without
  optimizer,    // they end with an optimizer step
  none,
};

struct StepRanges {
  std::string kind;  // "step #", the requested name, or that of the XLA program
  StepMarker marker = StepMarker::none;
  std::int64_t global_tid = 0;  // their thread
  std::vector<Step> ranges;     // sorted by start; they do not overlap
  std::int64_t covered_ns = 0;  // total duration
  bool empty() const { return ranges.empty(); }
};

// The ranges that mark steps; with `name`, those whose name starts with it. Otherwise, in this
// order of precedence:
// - ranges with a word in their name that ends in "step" or is "iteration" or "iter", except for
//   optimizer steps, and the ranges of a step in vLLM ("execute_context_1(96)_generation_0(0)") and
//   Lightning ("run_training_batch");
// - executions of an XLA program ("XlaModule:#hlo_module=jit_step,program_id=7#"), three or more;
//   programs with a step in their name first;
// - the time from the end of one optimizer step to the end of the next ("Optimizer.step#Adam.step"
//   of PyTorch), three or more.
// Returns the kind ("step #", "forward_step") and thread that cover the most time; for XLA
// programs, whose first execution loads them, without the first. Ignores marks, ranges that are
// still open and ranges recorded only partly. `process`: only this one (-1: any).
StepRanges find_step_ranges(const store::Profile& profile, std::string_view name = "",
                            std::int64_t process = -1);

// All kinds of step ranges, each on the thread where it covers the most time; the best kind first.
std::vector<StepRanges> step_range_kinds(const store::Profile& profile, std::string_view name = "",
                                         std::int64_t process = -1);

// "ranges named 'step #'", "executions of the XLA program 'jit_step'"
std::string describe(const StepRanges& ranges);

// Replaces numbers by "#": "step 12" and "step 13" are the same kind of range, "step #".
std::string without_numbers(std::string_view text);

}  // namespace mansard::analysis
