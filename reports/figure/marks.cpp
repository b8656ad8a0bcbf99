// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/marks.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mansard {
namespace {

constexpr double kSmallestRadius_px = 4.5;
constexpr double kLargestRadius_px = 22;
constexpr double kCell_px = 4;

// Which mark lies in a cell, for each operation class. A plain array: hashing a million cells takes
// longer than all the rest.
class Cells {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Cells(const Rect& plot)
      : plot_(plot),
        columns_(static_cast<std::size_t>(plot.width() / kCell_px) + 1),
        rows_(static_cast<std::size_t>(plot.height() / kCell_px) + 1) {}

  // For reading and writing; `position` is inside the plot.
  std::size_t& mark_at(Point position, std::string_view operation_class) {
    std::vector<std::size_t>& marks = marks_of_class_[operation_class];
    if (marks.empty()) marks.assign(columns_ * rows_, kNone);
    const auto column = static_cast<std::size_t>((position.x - plot_.left) / kCell_px);
    const auto row = static_cast<std::size_t>((position.y - plot_.top) / kCell_px);
    return marks[row * columns_ + column];
  }

 private:
  Rect plot_;
  std::size_t columns_;
  std::size_t rows_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> marks_of_class_;
};

}  // namespace

double mark_radius(double share) {
  const double area = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const double least = kSmallestRadius_px * kSmallestRadius_px;
  return std::sqrt(least + area * (kLargestRadius_px * kLargestRadius_px - least));
}

Point place(PlanePosition position, const PlaneFigure& figure, const LogScale& x, const LogScale& y,
            const Rect& plot) {
  return {position.x > 0 ? x.map(std::max(position.x, figure.x.floor)) : plot.left,
          position.y > 0 ? y.map(std::max(position.y, figure.y.floor)) : plot.bottom};
}

std::vector<Mark> layout_marks(const PlaneFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const PlanePoint&)>& include) {
  std::vector<Mark> marks;
  Cells cells(plot);
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const PlanePoint& point = figure.points[i];
    if (include && !include(point)) continue;
    const Point centre = place({point.x, point.y}, figure, x, y, plot);
    if (!plot.contains(centre)) continue;
    std::size_t& cell = cells.mark_at(centre, point.operation_class);
    if (cell == Cells::kNone) {
      cell = marks.size();
      marks.push_back({centre, 0, i, 1, point.share});
      continue;
    }
    Mark& mark = marks[cell];
    if (point.share > figure.points[mark.point].share) {
      mark.centre = centre;
      mark.point = i;
    }
    ++mark.count;
    mark.share += point.share;
  }
  for (Mark& mark : marks) mark.radius = mark_radius(mark.share);
  std::ranges::stable_sort(marks, [](const Mark& a, const Mark& b) { return a.radius > b.radius; });
  return marks;
}

std::optional<std::size_t> mark_at(std::span<const Mark> marks, Point position, double slack_px) {
  std::optional<std::size_t> found;
  double found_gap_px = slack_px;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Mark& mark = marks[i];
    const double gap_px =
        std::hypot(mark.centre.x - position.x, mark.centre.y - position.y) - mark.radius;
    // All gaps inside a mark count as zero, so that the last drawn of those that cover wins.
    const double visible_gap_px = std::max(gap_px, 0.0);
    if (visible_gap_px <= found_gap_px) {
      found = i;
      found_gap_px = visible_gap_px;
    }
  }
  return found;
}

}  // namespace mansard
