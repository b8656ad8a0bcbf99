// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_layout.h"

#include <algorithm>

namespace mansard::figure {
namespace {

constexpr double kMarginGap_px = 12;  // between the plot and the names of ceilings beside it
constexpr double kEdge_px = 6;

}  // namespace

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
    out.prominent.push_back(holds_at(line.level, out.level));
    out.lines.push_back(std::move(line));
  }
  out.plot = {58, 28, width_px - std::max(22.0, margin_px), height_px - 46};
  out.x = LogScale(figure.x.min, figure.x.max, out.plot.left, out.plot.right);
  out.y = LogScale(figure.y.min, figure.y.max, out.plot.bottom, out.plot.top);

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
  out.region_labels = place_region_labels(figure.regions, out.plot, measure);
  std::vector<OrientedBox> names;
  for (const RegionLabel& label : out.region_labels) names.push_back(label.box);
  out.line_labels =
      place_line_labels(out.lines, out.x, out.y,
                        {out.plot, out.plot.right + kMarginGap_px, names, obstacles}, measure);
  return out;
}

}  // namespace mansard::figure
