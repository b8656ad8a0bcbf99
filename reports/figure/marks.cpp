// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/marks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kSmallestRadius_px = 4.5;
constexpr double kLargestRadius_px = 22;
constexpr double kCell_px = 4;

// The mark in each cell, per operation class. Plain arrays: hashing a million cells would dominate
// the run time.
class Cells {
 public:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  Cells(const Rect& plot, std::size_t groups)
      : plot_(plot),
        columns_(static_cast<std::size_t>(plot.width() / kCell_px) + 1),
        rows_(static_cast<std::size_t>(plot.height() / kCell_px) + 1),
        marks_of_group_(groups) {}

  // Read-write access; `position` must be inside the plot.
  std::uint32_t& mark_at(Point position, std::size_t group) {
    std::vector<std::uint32_t>& marks = marks_of_group_[group];
    if (marks.empty()) marks.assign(columns_ * rows_, kNone);
    const auto column = static_cast<std::size_t>((position.x - plot_.left) / kCell_px);
    const auto row = static_cast<std::size_t>((position.y - plot_.top) / kCell_px);
    return marks[row * columns_ + column];
  }

 private:
  Rect plot_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<std::vector<std::uint32_t>> marks_of_group_;
};

double log_of(double value, double floor) {
  return value > 0 ? std::log10(std::max(value, floor)) : -std::numeric_limits<double>::infinity();
}

}  // namespace

double mark_radius(double share) {
  const double area = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const double least = kSmallestRadius_px * kSmallestRadius_px;
  return std::sqrt(least + area * (kLargestRadius_px * kLargestRadius_px - least));
}

Point place(PlanePosition position, const PlaneFigure& figure, const LogScale& x, const LogScale& y,
            const Rect& plot) {
  if (is_rate(figure, position)) {
    return {plot.left, y.map(position.y * x.invert(plot.left))};
  }
  return {position.x > 0 ? x.map(std::max(position.x, figure.x.floor)) : plot.left,
          position.y > 0 ? y.map(std::max(position.y, figure.y.floor)) : plot.bottom};
}

PointColumns columns_of(const PlaneFigure& figure,
                        const std::function<bool(const PlanePoint&)>& include) {
  PointColumns out;
  out.rates_at_edge = figure.rates_at_edge;
  std::unordered_map<std::string_view, std::uint16_t> groups;
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const PlanePoint& point = figure.points[i];
    if (include && !include(point)) continue;
    out.log_x.push_back(log_of(point.x, figure.x.floor));
    out.log_y.push_back(log_of(point.y, figure.y.floor));
    out.share.push_back(point.share);
    out.point.push_back(static_cast<std::uint32_t>(i));
    const auto next = static_cast<std::uint16_t>(groups.size());
    const auto [group, is_new] = groups.try_emplace(point.operation_class, next);
    if (is_new) out.classes.push_back(point.operation_class);
    out.group.push_back(group->second);
  }
  return out;
}

Point place(const PointColumns& points, std::size_t index, const LogScale& x, const LogScale& y,
            const Rect& plot) {
  const double log_x = points.log_x[index];
  const double log_y = points.log_y[index];
  if (points.rates_at_edge && std::isinf(log_x) && !std::isinf(log_y)) {
    return {plot.left, y.map_log10(log_y + std::log10(x.invert(plot.left)))};
  }
  return {std::isinf(log_x) ? plot.left : x.map_log10(log_x),
          std::isinf(log_y) ? plot.bottom : y.map_log10(log_y)};
}

std::vector<Mark> layout_marks(const PointColumns& points, const LogScale& x, const LogScale& y,
                               const Rect& plot) {
  std::vector<Mark> marks;
  std::vector<double> largest;  // share of the point that sets the mark's position
  Cells cells(plot, points.classes.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point center = place(points, i, x, y, plot);
    if (!plot.contains(center)) continue;
    const double share = points.share[i];
    std::uint32_t& cell = cells.mark_at(center, points.group[i]);
    if (cell == Cells::kNone) {
      cell = static_cast<std::uint32_t>(marks.size());
      marks.push_back({center, 0, points.point[i], 1, share, points.group[i]});
      largest.push_back(share);
      continue;
    }
    Mark& mark = marks[cell];
    if (share > largest[cell]) {
      mark.center = center;
      mark.point = points.point[i];
      largest[cell] = share;
    }
    ++mark.count;
    mark.share += share;
  }
  for (Mark& mark : marks) mark.radius = mark_radius(mark.share);
  std::ranges::stable_sort(marks, [](const Mark& a, const Mark& b) { return a.radius > b.radius; });
  return marks;
}

std::vector<Mark> layout_marks(const PlaneFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const PlanePoint&)>& include) {
  return layout_marks(columns_of(figure, include), x, y, plot);
}

std::array<PointsBeyond, 4> count_beyond(const PointColumns& points, const LogScale& x,
                                         const LogScale& y, const Rect& plot) {
  std::array<PointsBeyond, 4> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point at = place(points, i, x, y, plot);
    if (plot.contains(at)) continue;
    const Side side = at.x < plot.left     ? Side::left
                      : at.x > plot.right  ? Side::right
                      : at.y > plot.bottom ? Side::bottom
                                           : Side::top;
    PointsBeyond& beyond = out[static_cast<std::size_t>(side)];
    ++beyond.count;
    beyond.share += points.share[i];
  }
  return out;
}

std::string beyond_text(Side side, const PointsBeyond& points) {
  if (points.count == 0) return {};
  constexpr std::array kArrows = {"←", "→", "↓", "↑"};
  return std::string(kArrows[static_cast<std::size_t>(side)]) + ' ' + std::to_string(points.count) +
         (points.count == 1 ? " kernel, " : " kernels, ") + format_percent(points.share);
}

std::optional<std::size_t> mark_at(std::span<const Mark> marks, Point position, double slack_px) {
  std::optional<std::size_t> found;
  double found_gap_px = slack_px;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& mark = marks[i];
    const double gap_px =
        std::hypot(mark.center.x - position.x, mark.center.y - position.y) - mark.radius;
    // Distances inside a mark count as zero, so that the last drawn mark wins.
    const double visible_gap_px = std::max(gap_px, 0.0);
    if (visible_gap_px <= found_gap_px) {
      found = i;
      found_gap_px = visible_gap_px;
    }
  }
  return found;
}

}  // namespace mansard::figure
