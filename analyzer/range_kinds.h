// SPDX-License-Identifier: Apache-2.0
// What was launched within the ranges of a program, whether these state their work or not: a layer,
// a pass, a whole step.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Ranges of one name but for its numbers: "layers.#.qkv".
struct RangeKind {
  std::string name;
  std::int64_t ranges = 0;
  double host_s = 0;  // sum of the ranges' lengths
  std::int64_t kernels = 0;
  double time_s = 0;   // of these kernels
  double known_s = 0;  // of those whose work is known
  WorkTotals work;     // a kernel's part of its row's work goes by its time
  SpeedOfLight limit;  // of all of it together, with the precisions as they are mixed
};

// By falling time of the kernels. A kernel belongs to all ranges that are open where it is
// launched: on the launching thread and, when that is not the thread with the steps, on that one
// too, as PyTorch's backward pass runs on a thread of its own while the step's waits. Ranges inside
// each other count the same kernel each; one inside another of its own kind counts it once.
std::vector<RangeKind> range_kinds(const RunAnalysis& run);

}  // namespace mansard::analysis
