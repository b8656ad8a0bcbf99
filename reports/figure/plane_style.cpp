// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_style.h"

#include <algorithm>

namespace mansard::figure {

Ink line_ink(const PlaneLine& line) {
  if (line.kind == LineKind::iso) return surface_ink(&Surface::axis);
  if (line.kind == LineKind::ceiling && line.level) return tier_ink(*line.level);
  return surface_ink(&Surface::compute);
}

Ink line_name_ink(const PlaneLine& line, const Ink& ink, bool faint) {
  return line.kind == LineKind::iso || faint ? surface_ink(&Surface::faint_text) : legible(ink);
}

Style line_style(const PlaneLine& line, const Ink& ink, bool bold) {
  Style style = stroked(ink, bold ? 2.2F : 1.1F);
  // An interconnect bounds only the traffic that crosses it.
  const bool link = line.level && is_link(*line.level);
  switch (line.kind) {
    case LineKind::ceiling:
      if (link) style.pattern = LinePattern::dotted;
      break;
    case LineKind::boundary:
      style.stroke_px = 1.5F;
      break;
    case LineKind::iso:
      style.stroke_px = 1;
      style.pattern = LinePattern::dashed;
      break;
  }
  return style;
}

Style mark_style(const Ink& ink, MarkFill look) {
  Style style = stroked(ink, look == MarkFill::tinted ? 1.6F : 1.2F);
  if (look == MarkFill::solid) style.stroke = surface_ink(&Surface::background);
  if (look != MarkFill::hollow) style.fill = ink;
  if (look == MarkFill::tinted) style.fill_opacity = 0.25F;
  return style;
}

Style saving_ring_style() { return stroked(surface_ink(&Surface::loss), 2); }

std::vector<Point> below_roof(const PlaneFigure& figure, const LogScale& x, const LogScale& y) {
  if (figure.id != "roofline") return {};
  std::optional<PlaneLine> slope;
  std::optional<PlaneLine> top;
  for (const PlaneLine& line : figure.lines) {
    std::optional<PlaneLine>& best = line.level ? slope : top;
    if (!best || line.value > best->value) best = line;
  }
  if (!slope || !top) return {};
  slope = extended(*slope, x, y);
  top = extended(*top, x, y);
  const Point start{x.map(slope->x0), y.map(slope->y0)};
  const Point ridge{x.map(slope->x1), y.map(slope->y1)};
  const double right = x.map(top->x1);
  const double below = std::max({y.pixel_min(), ridge.y, start.y});
  return {start, ridge, {right, ridge.y}, {right, below}, {start.x, below}};
}

}  // namespace mansard::figure
