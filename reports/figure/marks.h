// SPDX-License-Identifier: Apache-2.0
// The points of a figure as marks on a screen: sized by share of the time, merged where they are
// too close, with hit testing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// Radius in pixels. The area, not the radius, is linear in the share.
double mark_radius(double share);
// Radius of the mark at the SOL position, whose size has no meaning.
inline constexpr double kIdealRadius_px = 3.5;

struct Mark {
  Point center;
  double radius = 0;
  std::size_t point = 0;    // into PlaneFigure::points: the merged point with the most time
  std::size_t count = 1;    // points merged into this mark
  double share = 0;         // total of the merged points
  std::uint16_t group = 0;  // class of the merged points, by PointColumns::classes
};

// The position of a point. Unknown values are placed on the lower edge of the plot, values below
// the figure's floor at the floor, rates on the left edge.
Point place(PlanePosition position, const PlaneFigure& figure, const LogScale& x, const LogScale& y,
            const Rect& plot);

// Points to draw, as columns: base-10 logarithms of the coordinates, -infinity for unknown values,
// clamped to the figure's floor.
struct PointColumns {
  std::vector<double> log_x;
  std::vector<double> log_y;
  std::vector<double> share;                      // sets the mark's size
  std::vector<std::uint32_t> point;               // into PlaneFigure::points
  std::vector<std::uint16_t> group;               // number of the operation class
  std::vector<analysis::OperationClass> classes;  // by group
  bool rates_at_edge = false;                     // of the figure

  std::size_t size() const { return point.size(); }
};

// An empty `include` includes all points.
PointColumns columns_of(const PlaneFigure& figure,
                        const std::function<bool(const PlanePoint&)>& include);

// The position of the point at `index`, equal to place() of the point.
Point place(const PointColumns& points, std::size_t index, const LogScale& x, const LogScale& y,
            const Rect& plot);

// The marks inside `plot`, the largest first, so that small ones are drawn on top. Points of one
// operation class in one cell of a few pixels are merged into one mark, so the number of marks is
// limited by the number of cells.
std::vector<Mark> layout_marks(const PointColumns& points, const LogScale& x, const LogScale& y,
                               const Rect& plot);
std::vector<Mark> layout_marks(const PlaneFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const PlanePoint&)>& include);

enum class Side : std::uint8_t { left, right, bottom, top };

// Points outside the plot, by Side; those beyond two sides count at the left or right one.
struct PointsBeyond {
  std::size_t count = 0;
  double share = 0;  // of the run's time
};
std::array<PointsBeyond, 4> count_beyond(const PointColumns& points, const LogScale& x,
                                         const LogScale& y, const Rect& plot);

// "← 5 kernels, 0.3 %"; empty if there are none.
std::string beyond_text(Side side, const PointsBeyond& points);

// The topmost mark that covers a position, else the nearest within `slack_px`.
std::optional<std::size_t> mark_at(std::span<const Mark> marks, Point position, double slack_px);

}  // namespace mansard::figure
