// SPDX-License-Identifier: Apache-2.0
// The mean launch of a row in the time-based roofline (arXiv 2009.04598): FLOPs F and bytes B,
// their times F / P and B / BW at the ceilings, and the measured time.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Means over the row's launches; 0: unknown.
struct MeanLaunch {
  double flop = 0;
  std::optional<MemoryLevel> tier;  // the one with the longest B / BW
  double bytes = 0;                 // at that tier
  double compute_s = 0;             // F / P of the busiest unit
  double bandwidth_s = 0;           // B / BW at that tier
  double launch_s = 0;
  double time_s = 0;  // measured
  // "compute", "bandwidth", or "overhead" for a kernel shorter than its launch. Empty if both FLOPs
  // and bytes are unknown.
  std::string_view region;
  // Measured point of the time plane: (compute_s, bandwidth_s), scaled so that the larger of the
  // two is the measured time. This is (T, T MB/AI) or (T AI/MB, T) in the paper.
  double measured_compute_s = 0;
  double measured_bandwidth_s = 0;
};

// `row` must have launches.
MeanLaunch mean_launch(const KernelRow& row);

}  // namespace mansard::analysis
