// SPDX-License-Identifier: Apache-2.0
// Columns of a roofline point of a kernel, an NVTX range, or a step.
#pragma once

#include <optional>

#include "analyzer/speed_of_light.h"
#include "analyzer/table.h"

namespace mansard::analysis {

// Work at one memory tier, and its SOL time.
struct TierPoint {
  const WorkTotals& work;
  const SpeedOfLight& sol;
  MemoryLevel level = MemoryLevel::hbm;
  double flop_per_byte = 0;
  double flop_per_s = 0;                    // achieved; 0: unknown
  const roofline::Ceiling* roof = nullptr;  // of the tier
};

const ColumnsOf<TierPoint>& roofline_columns();
// roofline_columns(), and the roof of the tier with its ridge point.
const ColumnsOf<TierPoint>& step_tier_columns();
// Whether the bytes of the tier take longer at its roof than the FLOPs at theirs: the intensity is
// below the ridge point. Empty if a ceiling is unknown.
std::optional<bool> is_bound_by_tier(const TierPoint& point);
std::optional<double> ridge_flop_per_byte(const TierPoint& point);
// min(P, AI x BW), with the effective P for a mix of precisions. Empty if a ceiling is unknown.
std::optional<double> attainable_flop_per_s(const TierPoint& point);

}  // namespace mansard::analysis
