// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/axis_limits.h"

#include <algorithm>

namespace mansard::figure {
namespace {

// The center of a mark keeps a distance from the edge.
constexpr double kRoom = 1.2;

enum class Where { unknown, below, near, above };

Where where(const AxisRange& range, double value, const LimitRules& rules) {
  if (!(value > 0)) return Where::unknown;
  if (range.empty()) return Where::near;
  if (value < range.low / rules.reach_down) return Where::below;
  return value > range.high * rules.reach_up ? Where::above : Where::near;
}

void include_with_room(AxisRange& range, const AxisRange& points) {
  if (points.empty()) return;
  range.include(points.low / kRoom);
  range.include(points.high * kRoom);
}

}  // namespace

void AxisRange::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

bool plottable(double value) { return value > 0 && std::isfinite(value); }

double floor_decade(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }
double ceil_decade(double value) { return std::pow(10.0, std::ceil(std::log10(value) - 1e-9)); }

void set_limits(PlaneFigure& figure, AxisRange x, AxisRange y, const LimitRules& rules) {
  AxisRange of_points_x;
  AxisRange of_points_y;
  const auto take = [&](PlanePosition p) {
    const Where in_x = where(x, p.x, rules);
    const Where in_y = where(y, p.y, rules);
    // A point far from all ceilings is more likely a wrong annotation than a slow kernel. It must
    // not squeeze the others into a corner.
    for (const Where in : {in_x, in_y}) {
      if (in == Where::above || (in == Where::below && !rules.floors)) return;
    }
    if (in_x == Where::near) of_points_x.include(p.x);
    if (in_y == Where::near) of_points_y.include(p.y);
  };
  for (const PlanePoint& p : figure.points) {
    take({p.x, p.y});
    if (p.ideal) take(*p.ideal);
  }
  include_with_room(x, of_points_x);
  include_with_room(y, of_points_y);
  if (!x.empty()) {
    figure.x.min = floor_decade(x.low);
    figure.x.max = ceil_decade(x.high);
  }
  if (!y.empty()) {
    figure.y.min = floor_decade(y.low);
    figure.y.max = ceil_decade(y.high * rules.headroom);
  }
  if (!rules.floors) return;
  figure.x.floor = figure.x.min;
  figure.y.floor = figure.y.min;
}

}  // namespace mansard::figure
