// SPDX-License-Identifier: Apache-2.0
// One launch of a row as the time-based roofline (arXiv 2009.04598) sees it: what it computes and
// moves, the time each of these takes at the ceilings, and where the measured time puts it.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Means over the row's launches; 0 where a value is not known.
struct MeanLaunch {
  double flop = 0;
  std::optional<MemoryLevel> tier;  // whose bytes take longest
  double bytes = 0;                 // at that tier
  double compute_s = 0;             // FLOP over the ceilings
  double bandwidth_s = 0;           // bytes over that tier's bandwidth
  double launch_s = 0;
  double time_s = 0;  // measured
  // What bounds it: "compute", "bandwidth", or "overhead" of a kernel that is shorter than its
  // launch. Empty where neither FLOPs nor bytes are known.
  std::string_view region;
  // The measured point of the time plane: (compute_s, bandwidth_s), scaled so that the longer of
  // the two is the measured time. That is (T, T MB/AI) or (T AI/MB, T) of the paper.
  double measured_compute_s = 0;
  double measured_bandwidth_s = 0;
};

// Of a row with launches.
MeanLaunch mean_launch(const KernelRow& row);

}  // namespace mansard::analysis
