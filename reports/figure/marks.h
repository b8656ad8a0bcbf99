// SPDX-License-Identifier: Apache-2.0
// The points of a figure as they appear on a screen: sized by their share of the time, merged where
// they cannot be told apart, and found again under the cursor.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/roofline_figure.h"

namespace mansard {

// Pixels. The mark's area, not its radius, is linear in the share.
double mark_radius(double share);

struct Mark {
  Point centre;
  double radius = 0;
  std::size_t point = 0;  // into RooflineFigure::points: of those merged the one of most time
  std::size_t count = 1;  // points merged into this mark
  double share = 0;       // of all of them
};

// The marks inside `plot`, the largest first, so that small ones are drawn on top. Points of one
// operation class that fall into one cell of a few pixels become one mark: there are never more
// marks than the plot has cells, however many points there are. `include` may be empty: all points.
std::vector<Mark> layout_marks(const RooflineFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const FigurePoint&)>& include);

// The mark at a position: the topmost that covers it, else the nearest within `slack_px` of it.
std::optional<std::size_t> mark_at(std::span<const Mark> marks, Point position, double slack_px);

}  // namespace mansard
