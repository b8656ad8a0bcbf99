// SPDX-License-Identifier: Apache-2.0
// Columns of a roofline point of a kernel or NVTX range.
#pragma once

#include "analyzer/speed_of_light.h"
#include "analyzer/table.h"

namespace mansard::analysis {

// Work at one memory tier, and its SOL time.
struct TierPoint {
  const WorkTotals& work;
  const SpeedOfLight& sol;
  MemoryLevel level = MemoryLevel::hbm;
  double flop_per_byte = 0;
  double flop_per_s = 0;  // achieved
};

const ColumnsOf<TierPoint>& roofline_columns();

}  // namespace mansard::analysis
