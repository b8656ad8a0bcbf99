// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/marks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace mansard {
namespace {

constexpr double kSmallestRadius_px = 4.5;
constexpr double kLargestRadius_px = 22;
constexpr double kCell_px = 4;

struct CellKey {
  std::int32_t column = 0;
  std::int32_t row = 0;
  std::string_view operation_class;
  bool operator==(const CellKey&) const = default;
};

struct CellHash {
  std::size_t operator()(const CellKey& key) const {
    const auto cell = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.column)) << 32 |
                      static_cast<std::uint32_t>(key.row);
    return std::hash<std::uint64_t>{}(cell)*31 + std::hash<std::string_view>{}(key.operation_class);
  }
};

}  // namespace

double mark_radius(double share) {
  const double area = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const double least = kSmallestRadius_px * kSmallestRadius_px;
  return std::sqrt(least + area * (kLargestRadius_px * kLargestRadius_px - least));
}

std::vector<Mark> layout_marks(const RooflineFigure& figure, const LogScale& x, const LogScale& y,
                               const Rect& plot,
                               const std::function<bool(const FigurePoint&)>& include) {
  std::vector<Mark> marks;
  std::unordered_map<CellKey, std::size_t, CellHash> cells;
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    const Point centre{x.map(point.x), y.map(point.y)};
    if (!plot.contains(centre) || (include && !include(point))) continue;
    const CellKey key{static_cast<std::int32_t>((centre.x - plot.left) / kCell_px),
                      static_cast<std::int32_t>((centre.y - plot.top) / kCell_px),
                      point.operation_class};
    const auto [cell, is_new] = cells.try_emplace(key, marks.size());
    if (is_new) {
      marks.push_back({centre, 0, i, 1, point.share});
      continue;
    }
    Mark& mark = marks[cell->second];
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
