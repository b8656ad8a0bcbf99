// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/line_labels.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mansard::figure {
namespace {

constexpr double kAboveLine_px = 3;  // between a line and its label
constexpr double kStep_px = 6;       // along a line from one candidate to the next
constexpr double kEndGap_px = 10;    // between the end of a line and its label
constexpr double kLabelGap_px = 8;   // from the end of a label to the next
constexpr double kLineWidth_px = 3;
constexpr double kCornerGap_px = 8;  // between a corner of the plot and the name there

struct VisibleLine {
  std::size_t index = 0;
  Segment segment;
  TextSize size;
};

std::vector<LineLabel> margin_labels(std::vector<VisibleLine> lines, const Rect& plot,
                                     double margin_left) {
  std::vector<LineLabel> out;
  if (lines.empty()) return out;
  std::ranges::sort(lines, {}, [](const VisibleLine& l) { return l.segment.b.y; });
  double extent = 0;
  for (const VisibleLine& l : lines) extent = std::max(extent, l.size.height);

  while (lines.size() > 1 && static_cast<double>(lines.size()) * extent > plot.height()) {
    std::size_t closest = 1;
    for (std::size_t i = 2; i < lines.size(); ++i) {
      if (lines[i].segment.b.y - lines[i - 1].segment.b.y <
          lines[closest].segment.b.y - lines[closest - 1].segment.b.y) {
        closest = i;
      }
    }
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(closest));
  }

  std::vector<double> wanted;
  for (const VisibleLine& l : lines) wanted.push_back(l.segment.b.y);
  const std::vector<double> placed =
      spread(wanted, extent, plot.top + extent / 2, plot.bottom - extent / 2);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const TextSize size = lines[i].size;
    const Point center{margin_left + size.width / 2, placed[i]};
    out.push_back({lines[i].index,
                   {center, size.width, size.height, 0},
                   {lines[i].segment.b, {margin_left - 3, placed[i]}}});
  }
  return out;
}

// The label at `distance` along the line from its left end, above or below it.
OrientedBox along(const VisibleLine& line, double distance, bool above) {
  const Segment& s = line.segment;
  const double length = std::hypot(s.b.x - s.a.x, s.b.y - s.a.y);
  const double ux = (s.b.x - s.a.x) / length;
  const double uy = (s.b.y - s.a.y) / length;
  const double off = (line.size.height / 2 + kAboveLine_px) * (above ? 1 : -1);
  const double t = distance + line.size.width / 2;
  // (uy, -ux) points away from the line to the upper left: y grows downwards.
  return {{s.a.x + ux * t + uy * off, s.a.y + uy * t - ux * off},
          line.size.width,
          line.size.height,
          std::atan2(uy, ux)};
}

bool clear_of(const OrientedBox& box, std::span<const OrientedBox> others) {
  return std::ranges::none_of(others, [&](const OrientedBox& o) { return overlap(box, o); });
}

// The first candidate, starting from the preferred end, that overlaps nothing.
std::optional<OrientedBox> slide(const VisibleLine& line, LabelPlace place, const Rect& plot,
                                 std::span<const OrientedBox> labels,
                                 std::span<const OrientedBox> obstacles) {
  const Segment& s = line.segment;
  const double length = std::hypot(s.b.x - s.a.x, s.b.y - s.a.y);
  const double last = length - line.size.width - kEndGap_px;
  // Only objects near the line can overlap.
  OrientedBox reach = as_box(s, 2 * (line.size.height + kAboveLine_px) + 2);
  reach.width += 4 * kLabelGap_px;
  const auto near = [&](std::span<const OrientedBox> all) {
    std::vector<OrientedBox> out;
    for (const OrientedBox& box : all) {
      if (overlap(box, reach)) out.push_back(box);
    }
    return out;
  };
  const std::vector<OrientedBox> near_labels = near(labels);
  const std::vector<OrientedBox> near_obstacles = near(obstacles);
  for (const bool above : {true, false}) {
    for (double d = kEndGap_px; d <= last; d += kStep_px) {
      const double from_start = place == LabelPlace::near_end ? length - line.size.width - d : d;
      const OrientedBox box = along(line, from_start, above);
      OrientedBox with_gap = box;
      with_gap.width += 2 * kLabelGap_px;
      if (inside(box, plot) && clear_of(with_gap, near_labels) && clear_of(box, near_obstacles)) {
        return box;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> spread(std::span<const double> wanted, double extent, double low, double high) {
  // Pool adjacent violators: overlapping labels are merged into a block at the mean of their wanted
  // positions.
  struct Block {
    double first_center_sum = 0;  // sum of (wanted - offset in block)
    std::size_t count = 0;
    double first_center(double span_low, double span_high, double step) const {
      const double mean = first_center_sum / static_cast<double>(count);
      const double last_room = span_high - static_cast<double>(count - 1) * step;
      return std::max(span_low, std::min(mean, last_room));
    }
  };
  if (wanted.empty()) return {};
  const auto n = static_cast<double>(wanted.size());
  const double step = n > 1 ? std::min(extent, (high - low) / (n - 1)) : extent;
  std::vector<Block> blocks;
  for (const double w : wanted) {
    blocks.push_back({w, 1});
    while (blocks.size() > 1) {
      Block& a = blocks[blocks.size() - 2];
      const Block& b = blocks.back();
      const double a_end = a.first_center(low, high, step) + static_cast<double>(a.count) * step;
      if (a_end <= b.first_center(low, high, step)) break;
      a.first_center_sum +=
          b.first_center_sum - static_cast<double>(a.count) * step * static_cast<double>(b.count);
      a.count += b.count;
      blocks.pop_back();
    }
  }
  std::vector<double> out;
  for (const Block& block : blocks) {
    const double first = block.first_center(low, high, step);
    for (std::size_t i = 0; i < block.count; ++i) {
      out.push_back(first + static_cast<double>(i) * step);
    }
  }
  return out;
}

std::vector<RegionLabel> place_region_labels(std::span<const PlaneRegion> regions, const Rect& plot,
                                             const MeasureText& measure) {
  std::vector<RegionLabel> out;
  std::vector<OrientedBox> taken;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (regions[i].label.empty()) continue;
    const TextSize size = measure(regions[i].label);
    const bool right = regions[i].corner == Corner::bottom_right;
    const bool top = regions[i].corner == Corner::top_left;
    const double dx = kCornerGap_px + size.width / 2;
    const double dy = kCornerGap_px + size.height / 2;
    const OrientedBox box{
        {right ? plot.right - dx : plot.left + dx, top ? plot.top + dy : plot.bottom - dy},
        size.width,
        size.height,
        0};
    if (!inside(box, plot) || !clear_of(box, taken)) continue;
    taken.push_back(box);
    out.push_back({i, box});
  }
  return out;
}

std::vector<LineLabel> place_line_labels(std::span<const PlaneLine> lines, const LogScale& x,
                                         const LogScale& y, const LabelRoom& room,
                                         const MeasureText& measure) {
  std::vector<VisibleLine> beside;
  std::vector<VisibleLine> inner;
  std::vector<OrientedBox> solid_lines;
  std::vector<OrientedBox> iso_lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const PlaneLine& l = lines[i];
    const Segment whole{{x.map(l.x0), y.map(l.y0)}, {x.map(l.x1), y.map(l.y1)}};
    const std::optional<Segment> seen = clip(whole, room.plot);
    if (!seen) continue;
    (l.kind == LineKind::iso ? iso_lines : solid_lines).push_back(as_box(*seen, kLineWidth_px));
    if (l.label.empty()) continue;
    (l.label_place == LabelPlace::margin ? beside : inner).push_back({i, *seen, measure(l.label)});
  }

  std::vector<LineLabel> labels = margin_labels(std::move(beside), room.plot, room.margin_left);
  std::vector<OrientedBox> taken(room.labels.begin(), room.labels.end());
  for (const LineLabel& label : labels) taken.push_back(label.box);
  const auto joined = [](std::vector<OrientedBox> a, std::span<const OrientedBox> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  // Obstacles of a label, in the order in which they are dropped if there is no room: faint lines,
  // then marks, then other ceilings.
  const std::vector<OrientedBox> avoided[] = {
      joined(joined(solid_lines, room.obstacles), iso_lines),
      joined(solid_lines, room.obstacles),
      solid_lines,
      {}};
  for (const VisibleLine& line : inner) {
    const LabelPlace place = lines[line.index].label_place;
    const bool must = lines[line.index].kind != LineKind::iso;
    std::optional<OrientedBox> box;
    for (const auto& obstacles : avoided) {
      box = slide(line, place, room.plot, taken, obstacles);
      if (box || !must) break;
    }
    if (!box) continue;
    taken.push_back(*box);
    labels.push_back({line.index, *box, {}});
  }
  return labels;
}

}  // namespace mansard::figure
