// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline_columns.h"

#include <algorithm>

#include "analyzer/row_totals.h"

namespace mansard::analysis {
namespace {

// min(P, AI * BW) = F / max(F / P, B / BW), with the effective P for a mix of precisions. 0
// (unknown) unless both ceilings are known.
double attainable_flop_per_s(const TierPoint& point) {
  for (const auto& [precision, flop] : point.work.flop) {
    const auto& missing = point.sol.missing_ceilings;
    if (std::find(missing.begin(), missing.end(), info(precision).label) != missing.end()) return 0;
  }
  const auto tier_s = point.sol.bandwidth_s.find(point.level);
  if (point.sol.compute_s <= 0 || tier_s == point.sol.bandwidth_s.end()) return 0;
  return point.work.total_flop() / std::max(point.sol.compute_s, tier_s->second);
}

}  // namespace

const ColumnsOf<TierPoint>& roofline_columns() {
  using enum CellFormat;
  static const ColumnsOf<TierPoint> columns = {
      {{"tier", "tier", text, "", "Memory tier of the bytes B"},
       [](const TierPoint& point) { return std::string(info(point.level).label); }},
      {{"flop_per_byte", "AI", quantity, "FLOP/B", "Arithmetic intensity F / B at the tier"},
       [](const TierPoint& point) { return point.flop_per_byte; }},
      {{"flop_per_s", "FLOP/s", quantity, "FLOP/s", "Achieved: F / T"},
       [](const TierPoint& point) { return point.flop_per_s; }},
      {{"attainable_flop_per_s", "attainable", quantity, "FLOP/s", "min(P, AI x BW)"},
       [](const TierPoint& point) { return positive(attainable_flop_per_s(point)); }},
      {{"attained_fraction", "attained", fraction, "", "Achieved / attainable FLOP/s"},
       [](const TierPoint& point) {
         return quotient(point.flop_per_s, attainable_flop_per_s(point));
       }},
  };
  return columns;
}

}  // namespace mansard::analysis
