// SPDX-License-Identifier: Apache-2.0
#include "analyzer/roofline_columns.h"

#include <algorithm>

#include "analyzer/row_totals.h"

namespace mansard::analysis {
namespace {

// Times of the FLOPs and of the tier's bytes at their ceilings.
struct TimesAtRoofs {
  double compute_s = 0;
  double tier_s = 0;
};

std::optional<TimesAtRoofs> times_at_roofs(const TierPoint& point) {
  for (const auto& [precision, flop] : point.work.flop) {
    const auto& missing = point.sol.missing_ceilings;
    if (std::find(missing.begin(), missing.end(), info(precision).label) != missing.end()) {
      return std::nullopt;
    }
  }
  const auto tier_s = point.sol.bandwidth_s.find(point.level);
  if (point.sol.compute_s <= 0 || tier_s == point.sol.bandwidth_s.end()) return std::nullopt;
  return TimesAtRoofs{point.sol.compute_s, tier_s->second};
}

Cell tier_time(const TierPoint& point) {
  const auto found = point.sol.bandwidth_s.find(point.level);
  return found == point.sol.bandwidth_s.end() ? Cell() : Cell(found->second);
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
       [](const TierPoint& point) { return positive(point.flop_per_s); }},
      {{"attainable_flop_per_s", "attainable", quantity, "FLOP/s", "min(P, AI x BW)"},
       [](const TierPoint& point) { return cell_of(attainable_flop_per_s(point)); }},
      {{"attained_fraction", "attained", fraction, "", "Achieved / attainable FLOP/s"},
       [](const TierPoint& point) {
         if (!(point.flop_per_s > 0)) return Cell();
         return quotient(point.flop_per_s, attainable_flop_per_s(point).value_or(0));
       }},
  };
  return columns;
}

// F / max(F / P, B / BW)
std::optional<double> attainable_flop_per_s(const TierPoint& point) {
  const std::optional<TimesAtRoofs> times = times_at_roofs(point);
  const double flop = point.work.total_flop();
  if (!times || !(flop > 0)) return std::nullopt;
  return flop / std::max(times->compute_s, times->tier_s);
}

std::optional<bool> is_bound_by_tier(const TierPoint& point) {
  const std::optional<TimesAtRoofs> times = times_at_roofs(point);
  if (!times) return std::nullopt;
  return times->tier_s > times->compute_s;
}

std::optional<double> ridge_flop_per_byte(const TierPoint& point) {
  const std::optional<TimesAtRoofs> times = times_at_roofs(point);
  if (!times) return std::nullopt;
  return point.flop_per_byte * times->tier_s / times->compute_s;
}

const ColumnsOf<TierPoint>& step_tier_columns() {
  using enum CellFormat;
  static const ColumnsOf<TierPoint> columns = [] {
    ColumnsOf<TierPoint> all = roofline_columns();
    append(all, ColumnsOf<TierPoint>{
                    {{"bytes", "bytes", quantity, "B",
                      "Per GPU; of links, bus bytes sent in one direction (docs/analysis.md)"},
                     [](const TierPoint& point) { return point.work.bytes.at(point.level); }},
                    {{"ridge_flop_per_byte", "ridge point", quantity, "FLOP/B",
                      "P / BW: below this intensity the tier bounds the work"},
                     [](const TierPoint& point) { return cell_of(ridge_flop_per_byte(point)); }},
                    {{"bound", "bound by", text, "", "The slower at its roof: the tier or compute"},
                     [](const TierPoint& point) {
                       const std::optional<bool> by_tier = is_bound_by_tier(point);
                       if (!by_tier) return Cell();
                       return Cell(*by_tier ? std::string(info(point.level).label) : "compute");
                     }},
                    {{"roof_s", "time at roof", quantity, "s", "B / BW"}, tier_time},
                    {{"roof_bytes_per_s", "roof BW", quantity, "B/s", "Bandwidth of the tier"},
                     [](const TierPoint& point) {
                       return point.roof == nullptr ? Cell() : Cell(point.roof->value);
                     }},
                    {{"roof", "roof", text, "", "Id of the tier's ceiling"},
                     [](const TierPoint& point) {
                       return point.roof == nullptr ? Cell() : Cell(point.roof->id);
                     }},
                    {{"roof_source", "source", text, "", "measured, or the publication"},
                     [](const TierPoint& point) {
                       return point.roof == nullptr ? Cell() : Cell(point.roof->source);
                     }}});
    return choose(all, {"tier", "flop_per_byte", "ridge_flop_per_byte", "bound", "bytes",
                        "flop_per_s", "attainable_flop_per_s", "attained_fraction", "roof_s",
                        "roof_bytes_per_s", "roof", "roof_source"});
  }();
  return columns;
}

}  // namespace mansard::analysis
