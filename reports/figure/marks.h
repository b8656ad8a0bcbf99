// SPDX-License-Identifier: Apache-2.0
// The points of a figure as they appear on a screen: sized by their share of the time, merged where
// they cannot be told apart, and found again under the cursor.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// Pixels. The mark's area, not its radius, is linear in the share.
double mark_radius(double share);
// Of the mark at the speed of light, which stands for no time spent.
inline constexpr double kIdealRadius_px = 3.5;

struct Mark {
  Point center;
  double radius = 0;
  std::size_t point = 0;    // into PlaneFigure::points: of those merged the one of most time
  std::size_t count = 1;    // points merged into this mark
  double share = 0;         // of all of them
  std::uint16_t group = 0;  // of PointColumns, whose class all of them have
};

// Where a point lies; of what is not known, on the lower edge of the plot, and of what is less than
// the figure's floor, at that.
Point place(PlanePosition position, const PlaneFigure& figure, const LogScale& x, const LogScale& y,
            const Rect& plot);

// Points to be drawn, in columns that a frame goes through: the logarithms, base 10, of where they
// lie, with what is not known at -infinity and what is less than the figure's floor at that.
struct PointColumns {
  std::vector<double> log_x;
  std::vector<double> log_y;
  std::vector<double> share;                      // sets the mark's size
  std::vector<std::uint32_t> point;               // into PlaneFigure::points
  std::vector<std::uint16_t> group;               // number of the operation class
  std::vector<analysis::OperationClass> classes;  // by group

  std::size_t size() const { return point.size(); }
};

// `include` may be empty: all points.
PointColumns columns_of(const PlaneFigure& figure,
                        const std::function<bool(const PlanePoint&)>& include);

// Where the one at `index` lies: the same as place() of its point.
Point place(const PointColumns& points, std::size_t index, const LogScale& x, const LogScale& y,
            const Rect& plot);

// The marks inside `plot`, the largest first, so that small ones are drawn on top. Points of one
// operation class that fall into one cell of a few pixels become one mark: there are never more
// marks than the plot has cells, however many points there are.
std::vector<Mark> layout_marks(const PointColumns& points, const LogScale& x, const LogScale& y,
                               const Rect& plot);
std::vector<Mark> layout_marks(const PlaneFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const PlanePoint&)>& include);

// The mark at a position: the topmost that covers it, else the nearest within `slack_px` of it.
std::optional<std::size_t> mark_at(std::span<const Mark> marks, Point position, double slack_px);

}  // namespace mansard::figure
