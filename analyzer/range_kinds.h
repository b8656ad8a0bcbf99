// SPDX-License-Identifier: Apache-2.0
// Kernels by NVTX range (a layer, a pass, a whole step), whether or not the range is annotated with
// its work.
#pragma once

#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Ranges with the same name, or with names that are equal except for numbers: "layers.#.qkv".
struct RangeKind {
  std::string name;
  std::int64_t ranges = 0;
  double host_s = 0;  // total duration of the ranges
  std::int64_t kernels = 0;
  double time_s = 0;   // of these kernels
  double known_s = 0;  // of those with known work
  // Means over the typical steps, per step and device: kernels, and their total duration. 0: none,
  // or the run has no steps.
  double step_kernels = 0;
  double step_time_s = 0;
  WorkTotals work;   // each kernel's share of its row's work is proportional to its time
  SpeedOfLight sol;  // of `work` as a whole, with its mix of precisions
};

struct RangeKinds {
  // By name without numbers; sorted by kernel time per step, then in total, longest first.
  std::vector<RangeKind> kinds;
  // Each layer of a model, by full name: "layers.3.qkv". Kinds of names are in the order of
  // `kinds`, names of a kind in that of their numbers. Left out: kinds with one name, with more
  // than kMostNumbers, or whose names hardly recur, such as "step 12".
  std::vector<RangeKind> numbered;
  static constexpr std::size_t kMostNumbers = 512;
  static constexpr double kAlike = 0.05;  // of the shortest time
};

// A kernel belongs to all ranges of its stack (LaunchRanges) that have ended: those around its
// launch and, for a kernel of a CUDA graph, those around the creation of its node. Each of several
// nested ranges counts the kernel; nested ranges of the same kind count it once. A range in which
// nodes of a graph were created counts once per launch of that graph.
RangeKinds range_kinds(const RunAnalysis& run);

}  // namespace mansard::analysis
