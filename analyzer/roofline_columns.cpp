// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline_columns.h"

#include <algorithm>

#include "analyzer/row_totals.h"

namespace mansard::analysis {
namespace {

// min(P, AI * BW) = F / max(F / P, B / BW), with the machine's effective P for a mix of
// precisions. Not known (0) unless both ceilings are.
double attainable_flop_per_s(const TierPoint& point) {
  for (const auto& [precision, flop] : point.work.flop) {
    const auto& missing = point.limit.missing_ceilings;
    if (std::find(missing.begin(), missing.end(), info(precision).label) != missing.end()) return 0;
  }
  const auto tier_s = point.limit.bandwidth_s.find(point.level);
  if (point.limit.compute_s <= 0 || tier_s == point.limit.bandwidth_s.end()) return 0;
  return point.work.total_flop() / std::max(point.limit.compute_s, tier_s->second);
}

}  // namespace

const ColumnsOf<TierPoint>& roofline_columns() {
  using enum CellFormat;
  static const ColumnsOf<TierPoint> columns = {
      {{"tier", "tier", text, "", "Memory tier whose bytes are counted"},
       [](const TierPoint& point) { return std::string(info(point.level).label); }},
      {{"flop_per_byte", "AI", quantity, "FLOP/B", "Arithmetic intensity there"},
       [](const TierPoint& point) { return point.flop_per_byte; }},
      {{"flop_per_s", "FLOP/s", quantity, "FLOP/s", "Achieved"},
       [](const TierPoint& point) { return point.flop_per_s; }},
      {{"attainable_flop_per_s", "attainable", quantity, "FLOP/s",
        "Least of the compute ceiling and AI times the tier's bandwidth"},
       [](const TierPoint& point) { return positive(attainable_flop_per_s(point)); }},
      {{"attained_fraction", "attained", fraction, "", "Achieved over attainable"},
       [](const TierPoint& point) {
         return quotient(point.flop_per_s, attainable_flop_per_s(point));
       }},
  };
  return columns;
}

}  // namespace mansard::analysis
