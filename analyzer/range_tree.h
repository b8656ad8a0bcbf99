// SPDX-License-Identifier: Apache-2.0
// Kernels by path of nested NVTX ranges ("forward", in it "layers.#"), for the flame graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// The ranges with this path: names without numbers, as in RangeKind. All values are means over the
// typical steps, or over the run if it has no steps, per step and device (RunUnit); they cover the
// kernels launched in these ranges or in nested ones.
struct RangePath {
  std::string name;        // of the innermost range; empty: the root, which has all kernels
  std::size_t parent = 0;  // into RangeTree::paths; the root is its own parent
  std::size_t depth = 0;
  double kernels = 0;
  double time_s = 0;  // total duration
  double self_s = 0;  // of kernels launched in no nested range
  // For the kernels with known SOL time; each kernel has a part of its row's that is proportional
  // to its duration.
  double cost_s = 0;
  double sol_s = 0;
  double saving_s = 0;  // potential saving
  std::map<OperationClass, double> class_s;
};

struct RangeTree {
  std::vector<RangePath> paths;  // the root first, a parent before its children; siblings in the
                                 // order in which the program launched their first kernels
  bool by_step = false;          // values are per typical step
  bool left_out_steps = false;   // ranges that mark steps are not paths: all kernels are in one
};

// Empty without kernels in ranges. A range that repeats the name of one around it (recursion) is
// the same path. Beyond kMaxDepth_ranges nested ranges, kernels count in the last one.
inline constexpr std::size_t kMaxDepth_ranges = 64;
RangeTree range_tree(const RunAnalysis& run);

}  // namespace mansard::analysis
