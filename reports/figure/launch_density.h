// SPDX-License-Identifier: Apache-2.0
// Counts millions of launches per pixel of a plane. The position of a launch is the position of its
// row's point, moved by its duration relative to the mean of the row. One position per row and one
// number per launch are therefore sufficient at any zoom.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/launch_order.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/raster.h"

namespace mansard::figure {

// Position of a row in pixels from the plot's upper left corner. NaN: the row has no point.
struct LaunchPlace {
  float x = std::numeric_limits<float>::quiet_NaN();
  float y = std::numeric_limits<float>::quiet_NaN();
  // Displacement per decade of (duration / mean duration).
  float dx = 0;
  float dy = 0;
};

// Computes the positions of rows in a layout of a plane.
class LaunchPlacer {
 public:
  LaunchPlacer(const PlaneFigure& figure, const LogScale& x, const LogScale& y, const Rect& plot)
      : x_(x),
        y_(y),
        plot_(plot),
        rates_at_edge_(figure.rates_at_edge),
        log_floor_x_(std::log10(figure.x.floor)),
        log_floor_y_(std::log10(figure.y.floor)),
        dx_(static_cast<float>(figure.launch_x * x.pixels_per_decade())),
        dy_(static_cast<float>(-figure.launch_y * y.pixels_per_decade())) {}

  // Returns the position of a row whose point has these base-10 logarithms (PointColumns). A
  // missing value (-infinity) is placed on the edge of the plot, as in place(). Launches do not
  // spread along an axis whose value is missing or not above the floor.
  LaunchPlace at(double log_x, double log_y) const {
    if (rates_at_edge_ && std::isinf(log_x)) log_y += std::log10(x_.invert(plot_.left));
    return {std::isinf(log_x) ? 0.5F : static_cast<float>(x_.map_log10(log_x) - plot_.left),
            static_cast<float>(std::isinf(log_y) ? plot_.height() - 1
                                                 : y_.map_log10(log_y) - plot_.top),
            log_x > log_floor_x_ ? dx_ : 0, log_y > log_floor_y_ ? dy_ : 0};
  }

 private:
  LogScale x_;
  LogScale y_;
  Rect plot_;
  bool rates_at_edge_;
  double log_floor_x_;
  double log_floor_y_;
  float dx_;
  float dy_;
};

// Non-owning pointers.
struct LaunchSet {
  const LaunchOrder* order = nullptr;
  const std::vector<bool>* passes = nullptr;  // by launch; null: all pass
};

// Counts the launches in each pixel and returns their total. Reuses the memory of `out` and, for a
// second thread, of `scratch`. `places` is indexed by row; rows beyond its size are not drawn.
// Linear in rows, pixels and launches inside.
std::size_t count_launches(const LaunchSet& launches, std::span<const LaunchPlace> places,
                           std::size_t columns, std::size_t lines, Raster& out,
                           std::vector<std::uint32_t>& scratch);

struct RowCount {
  std::uint32_t row = 0;
  std::size_t launches = 0;
};

struct LaunchesNear {
  std::size_t launches = 0;
  std::vector<RowCount> rows;  // by falling count
  std::optional<std::size_t> nearest;
};

// The launches within `radius` of a position, in pixels from the plot's upper left corner. Linear
// in rows and found launches.
LaunchesNear launches_near(const LaunchSet& launches, std::span<const LaunchPlace> places,
                           Point position, double radius);

// The position of a launch of a row; nothing if the row has no position or the launch no factor.
std::optional<Point> place_of(const LaunchPlace& row, float log_factor);

}  // namespace mansard::figure
