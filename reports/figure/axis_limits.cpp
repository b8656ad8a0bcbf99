// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/axis_limits.h"

#include <algorithm>
#include <vector>

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

// The points with `share` of the time of all points at the first tier, those with the most time
// first.
std::vector<const PlanePoint*> points_with_most_time(const PlaneFigure& figure, double share) {
  const std::optional<MemoryLevel> level = first_level(figure);
  std::vector<const PlanePoint*> points;
  double total = 0;
  for (const PlanePoint& p : figure.points) {
    if (!holds_at(p.level, level)) continue;
    points.push_back(&p);
    total += p.share;
  }
  std::ranges::stable_sort(points, std::greater<>{}, &PlanePoint::share);
  double sum = 0;
  std::size_t count = 0;
  while (count < points.size() && sum < share * total) sum += points[count++]->share;
  points.resize(count);
  return points;
}

double floor_step(double value) {
  const double decade = floor_decade(value);
  return decade * (value >= 5 * decade ? 5 : value >= 2 * decade ? 2 : 1);
}
double ceil_step(double value) {
  const double decade = floor_decade(value);
  for (const double step : {1, 2, 5}) {
    if (value <= step * decade * (1 + 1e-9)) return step * decade;
  }
  return 10 * decade;
}

enum class Widen { both, down };

void set_first_part(PlaneAxis& axis, const AxisRange& range, Widen widen) {
  axis.first_min = axis.min;
  axis.first_max = axis.max;
  if (range.empty() || !(axis.min < axis.max)) return;
  double low = floor_step(range.low);
  double high = ceil_step(range.high);
  constexpr double kLeast = 100;  // high / low
  if (high < kLeast * low) {
    const double middle = widen == Widen::down ? high / std::sqrt(kLeast) : std::sqrt(low * high);
    low = std::min(low, floor_step(middle / std::sqrt(kLeast)));
    if (widen == Widen::both) high = std::max(high, ceil_step(middle * std::sqrt(kLeast)));
  }
  axis.first_min = std::max(axis.min, low);
  axis.first_max = std::min(axis.max, high);
  // The ranges have no common part if all the time is in points outside the limits.
  if (axis.first_min >= axis.first_max) {
    axis.first_min = axis.min;
    axis.first_max = axis.max;
  }
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
    if (is_rate(figure, {p.x, p.y})) continue;  // follows the left edge
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
  for (PlaneAxis* axis : {&figure.x, &figure.y}) {
    axis->first_min = axis->min;
    axis->first_max = axis->max;
  }
  if (!rules.floors) return;
  figure.x.floor = figure.x.min;
  figure.y.floor = figure.y.min;
}

void set_first_part(PlaneFigure& figure, AxisRange x, AxisRange y) {
  constexpr double kShare = 0.95;
  constexpr double kMargin = 2;  // around the center of a mark, whose radius is part of a decade
  const auto points = points_with_most_time(figure, kShare);
  AxisRange of_points_x;
  for (const PlanePoint* p : points) {
    if (p->x >= figure.x.min && p->x <= figure.x.max) of_points_x.include(p->x);
  }
  const auto with_margin = [](AxisRange& range, const AxisRange& values) {
    if (values.empty()) return;
    range.include(values.low / kMargin);
    range.include(values.high * kMargin);
  };
  with_margin(x, of_points_x);
  set_first_part(figure.x, x, Widen::both);
  AxisRange of_points_y;
  for (const PlanePoint* p : points) {
    const double value = is_rate(figure, {p->x, p->y}) ? p->y * figure.x.first_min : p->y;
    if (value >= figure.y.min && value <= figure.y.max) of_points_y.include(value);
  }
  with_margin(y, of_points_y);
  // The roof is at the top, and nothing above it.
  set_first_part(figure.y, y, Widen::down);
}

}  // namespace mansard::figure
