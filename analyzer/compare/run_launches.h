// SPDX-License-Identifier: Apache-2.0
// The launches of one run as two runs are compared by: one entry for each kernel signature.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard {

// The name and class of CUDA graphs that were recorded as a whole.
inline constexpr std::string_view kGraphs = "CUDA graphs";

// A kernel; an annotated range of the host, which counts as launched when it began; or a graph.
struct SignatureLaunches {
  std::string name;  // complete
  std::string short_name;
  std::string operation_class;  // that of most of its time
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::int64_t launches = 0;
  double time_s = 0;
  std::vector<double> durations_s;       // by start
  std::map<std::size_t, double> step_s;  // of the steps in which it was launched, by their numbers
};

struct RunLaunches {
  std::vector<SignatureLaunches> signatures;  // several graphs have a name in common
  // One value for each step, or a single one of the whole run.
  std::vector<double> busy_s;    // union of what was launched in it
  std::vector<double> period_s;  // from its start to the next one's; of the run its span
  double units = 1;              // steps, or 1 run
  bool by_step = false;
};

// With steps only what was launched within them is taken.
RunLaunches collect_launches(const RunAnalysis& run, const StepRanges& steps);

}  // namespace mansard
