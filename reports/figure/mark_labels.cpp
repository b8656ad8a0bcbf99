// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/mark_labels.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>

#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kMarkLabelsGap_px = 4;
// Only this many marks are checked for overlaps, to limit the cost in full figures. The others are
// the smallest.
constexpr std::size_t kMarksChecked = 500;

// The position right of the mark is preferred; corners are closer than the other sides.
std::array<OrientedBox, 8> candidates(const Mark& mark, TextSize size) {
  const double side = mark.radius + kMarkLabelsGap_px + size.width / 2;
  const double height = mark.radius + kMarkLabelsGap_px / 2 + size.height / 2;
  const double corner = mark.radius * std::numbers::sqrt2 / 2 + kMarkLabelsGap_px / 2;
  const double cx = corner + size.width / 2;
  const double cy = corner + size.height / 2;
  const std::array<Point, 8> offsets = {Point{side, 0},    Point{-side, 0}, Point{cx, -cy},
                                        Point{cx, cy},     Point{-cx, -cy}, Point{-cx, cy},
                                        Point{0, -height}, Point{0, height}};
  std::array<OrientedBox, 8> out;
  std::ranges::transform(offsets, out.begin(), [&](Point o) {
    return OrientedBox{{mark.center.x + o.x, mark.center.y + o.y}, size.width, size.height, 0};
  });
  return out;
}

bool hits(const OrientedBox& box, std::span<const OrientedBox> others) {
  return std::ranges::any_of(others, [&](const OrientedBox& o) { return overlap(box, o); });
}

}  // namespace

std::string mark_name(const PlaneFigure& figure, const Mark& mark) {
  constexpr int kLongest_columns = 24;
  std::string name = truncate_middle(one_line(figure.points[mark.point].label), kLongest_columns);
  if (mark.count > 1) name += " +" + std::to_string(mark.count - 1);
  const double saving_s = figure.points[mark.point].saving_s;
  if (saving_s > 0) name += ": up to " + format_si(saving_s, "s");
  return name;
}

std::vector<MarkLabel> place_mark_labels(std::span<const Mark> marks,
                                         std::span<const TextSize> sizes, const Rect& plot,
                                         std::span<const OrientedBox> labels,
                                         std::span<const OrientedBox> lines) {
  std::vector<OrientedBox> taken(labels.begin(), labels.end());
  for (const Mark& m : marks.first(std::min(marks.size(), kMarksChecked))) {
    taken.push_back({m.center, 2 * m.radius, 2 * m.radius, 0});
  }
  std::vector<MarkLabel> placed;
  for (std::size_t i = 0; i < std::min(marks.size(), sizes.size()); ++i) {
    std::optional<OrientedBox> best;
    std::ptrdiff_t best_crossed = 0;
    for (const OrientedBox& box : candidates(marks[i], sizes[i])) {
      if (!inside(box, plot) || hits(box, taken)) continue;
      const std::ptrdiff_t crossed =
          std::ranges::count_if(lines, [&](const OrientedBox& line) { return overlap(box, line); });
      if (best && crossed >= best_crossed) continue;
      best = box;
      best_crossed = crossed;
    }
    if (!best) continue;
    placed.push_back({i, *best});
    taken.push_back(*best);
  }
  return placed;
}

}  // namespace mansard::figure
