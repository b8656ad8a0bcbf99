// SPDX-License-Identifier: Apache-2.0
// The limits of a plane's axes. They depend on the machine first, so that two runs on one machine
// compare by eye; points outside of that widen them.
#pragma once

#include <cmath>

#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// A closed range that grows to take in values; empty until the first one.
struct AxisRange {
  double low = INFINITY;
  double high = 0;
  bool empty() const { return !(low <= high); }
  void include(double value);
};

// Whether a logarithmic axis has a place for it.
bool plottable(double value);

double floor_decade(double value);
double ceil_decade(double value);

// Sets the limits of both axes to the decades around `x` and `y`, and around the points of the
// figure that are within `reach` of these (a factor). `headroom` times the highest y stays below
// the upper edge. Where there is neither, an axis keeps the limits it has.
struct LimitRules {
  double reach_down = 1e4;
  double reach_up = 1e4;
  double headroom = 1;
  // Whether what is below the reach goes to the lower edge; else it stays outside of the figure.
  bool floors = false;
};
void set_limits(PlaneFigure& figure, AxisRange x, AxisRange y, const LimitRules& rules);

// Of planes of single launches. What takes less than a launch by more than a decade or two is of no
// interest by how much.
inline constexpr LimitRules kLaunchLimits = {.reach_down = 10, .floors = true};

}  // namespace mansard::figure
