// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_layout.h"

#include <algorithm>

#include "reports/figure/mark_labels.h"

namespace mansard::figure {
namespace {

constexpr double kMarginGap_px = 12;  // between the plot and the names of ceilings beside it
constexpr double kEdge_px = 6;

}  // namespace

std::vector<NamedBox> place_beyond(const std::array<PointsBeyond, 4>& points, const Rect& plot,
                                   const MeasureText& measure) {
  std::vector<NamedBox> out;
  const double middle = (plot.left + plot.right) / 2;
  // Names of regions are in the corners, and most marks of a roofline between these heights.
  const double upper = plot.top + 0.25 * plot.height();
  const double lower = plot.top + 0.75 * plot.height();
  for (const Side side : {Side::left, Side::right, Side::bottom, Side::top}) {
    std::string text = beyond_text(side, points[static_cast<std::size_t>(side)]);
    if (text.empty()) continue;
    const TextSize size = measure(text);
    const double across = size.width / 2 + kEdge_px;
    const double along = size.height / 2 + kEdge_px / 2;
    const Point center = side == Side::left     ? Point{plot.left + across, upper}
                         : side == Side::right  ? Point{plot.right - across, lower}
                         : side == Side::bottom ? Point{middle, plot.bottom - along}
                                                : Point{middle, plot.top + along};
    out.push_back({std::move(text), {center, size.width, size.height, 0}});
  }
  return out;
}

void name_marks(PlaneLayout& layout, const PlaneFigure& figure, std::vector<OrientedBox> labels,
                const MeasureText& measure) {
  constexpr std::size_t kNamed = 16;
  std::vector<OrientedBox> lines;
  for (const PlaneLine& l : layout.lines) {
    const Segment whole{{layout.x.map(l.x0), layout.y.map(l.y0)},
                        {layout.x.map(l.x1), layout.y.map(l.y1)}};
    if (const auto seen = clip(whole, layout.plot)) lines.push_back(as_box(*seen, 2));
  }
  std::vector<std::string> names;
  std::vector<TextSize> sizes;
  for (const Mark& mark : layout.marks) {
    if (names.size() == kNamed) break;
    names.push_back(mark_name(figure, mark));
    sizes.push_back(measure(names.back()));
  }
  layout.mark_names.clear();
  for (const MarkLabel& label :
       place_mark_labels(layout.marks, sizes, layout.plot, labels, lines)) {
    layout.mark_names.push_back({names[label.mark], label.box});
  }
}

PlaneLayout lay_out_plane(const PlaneFigure& figure, double width_px, double height_px,
                          bool short_names, const MeasureText& measure) {
  PlaneLayout out;
  out.width = width_px;
  out.height = height_px;
  out.line_px = measure("Ag").height;
  out.y_title_above = true;
  out.level = first_level(figure);
  double margin_px = 0;
  for (PlaneLine line : figure.lines) {
    if (line.kind != LineKind::ceiling && !holds_at(line.level, out.level)) continue;
    if (short_names && !line.label.empty()) line.label = line.name;
    if (line.label_place == LabelPlace::margin) {
      margin_px = std::max(margin_px, measure(line.label).width + kMarginGap_px + kEdge_px);
    }
    out.prominent.push_back(is_prominent(line, out.level, figure.used));
    out.lines.push_back(std::move(line));
  }
  out.plot = {58, 28, width_px - std::max(22.0, margin_px), height_px - 46};
  out.x = LogScale(figure.x.first_min, figure.x.first_max, out.plot.left, out.plot.right);
  out.y = LogScale(figure.y.first_min, figure.y.first_max, out.plot.bottom, out.plot.top);
  for (PlaneLine& line : out.lines) line = extended(line, out.x, out.y);

  const PointColumns points = columns_of(figure, [&](const PlanePoint& p) {
    return figure.levels.empty() || holds_at(p.level, out.level);
  });
  out.marks = layout_marks(points, out.x, out.y, out.plot);
  out.classes = points.classes;

  std::vector<OrientedBox> obstacles;
  for (const Mark& mark : out.marks) {
    obstacles.push_back({mark.center, 2 * mark.radius, 2 * mark.radius, 0});
    if (const auto& ideal = figure.points[mark.point].ideal) {
      obstacles.push_back({place(*ideal, figure, out.x, out.y, out.plot), 2 * kIdealRadius_px,
                           2 * kIdealRadius_px, 0});
    }
  }
  out.beyond = place_beyond(count_beyond(points, out.x, out.y, out.plot), out.plot, measure);
  out.region_labels = place_region_labels(figure.regions, out.plot, measure);
  std::vector<OrientedBox> names;
  for (const RegionLabel& label : out.region_labels) names.push_back(label.box);
  for (const NamedBox& beyond : out.beyond) names.push_back(beyond.box);
  out.line_labels =
      place_line_labels(out.lines, out.x, out.y,
                        {out.plot, out.plot.right + kMarginGap_px, names, obstacles}, measure);
  for (const LineLabel& label : out.line_labels) names.push_back(label.box);
  name_marks(out, figure, std::move(names), measure);
  return out;
}

}  // namespace mansard::figure
