// SPDX-License-Identifier: Apache-2.0
// The axis limits of a plane. They depend mainly on the machine, so that figures of runs on one
// machine are comparable; points outside widen them.
#pragma once

#include <cmath>

#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// A closed range that grows to include values; initially empty.
struct AxisRange {
  double low = INFINITY;
  double high = 0;
  bool empty() const { return !(low <= high); }
  void include(double value);
};

// Whether a logarithmic axis can show the value.
bool plottable(double value);

double floor_decade(double value);
double ceil_decade(double value);

// Sets the limits of both axes to the decades around `x`, `y`, and the points within a factor of
// `reach` of them. The upper edge is at least `headroom` times the highest y. Without any values an
// axis keeps its limits.
struct LimitRules {
  double reach_down = 1e4;
  double reach_up = 1e4;
  double headroom = 1;
  // Whether points below the reach are drawn on the lower edge; otherwise they are outside of the
  // figure.
  bool floors = false;
};
void set_limits(PlaneFigure& figure, AxisRange x, AxisRange y, const LimitRules& rules);

// Sets the part shown first: the points at the first tier with 95 % of the time of all of them, the
// values `x` and `y`, and a margin, rounded outwards to 1, 2 or 5 times a power of ten. Covers at
// least two decades of each axis unless the axis has less.
void set_first_part(PlaneFigure& figure, AxisRange x, AxisRange y);

// For planes of single launches. Times more than a decade or two below the launch overhead are not
// distinguished.
inline constexpr LimitRules kLaunchLimits = {.reach_down = 10, .floors = true};

}  // namespace mansard::figure
