// SPDX-License-Identifier: Apache-2.0
#include "reports/web/sweep_svg.h"

#include "reports/figure/sweep_plot.h"
#include "reports/web/page_theme.h"
#include "reports/web/svg.h"

namespace mansard::reports {
namespace {

void draw_axes(Svg& svg, const figure::SweepPlot& figure) {
  for (std::size_t i = 0; i < figure.value_lines.size(); ++i) {
    svg.line(figure.value_lines[i].a, figure.value_lines[i].b, "grid");
    svg.text(figure.value_names[i], "tick");
  }
  for (const figure::Segment& tick : figure.size_ticks) svg.line(tick.a, tick.b, "grid");
  for (const figure::PlacedText& name : figure.size_names) svg.text(name, "tick");
  svg.text(figure.size_axis, "axis");
  svg.text(figure.value_axis, "axis");
}

void draw_curve(Svg& svg, const figure::SweepCurve& curve) {
  const std::string style = colour_style(level_colour(curve.colour));
  std::string path;
  for (const figure::Point& at : curve.at) {
    path += (path.empty() ? 'M' : 'L') + svg_number(at.x) + ' ' + svg_number(at.y);
  }
  svg.path(path, "curve", style);
  for (std::size_t i = 0; i < curve.at.size(); ++i) {
    svg.path("M-3.5 0a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1 -7 0Z", "point", style, curve.at[i],
             figure::sweep_tooltip(curve.points[i]));
  }
  svg.line(curve.swatch.a, curve.swatch.b, "curve", style);
  svg.text(curve.name);
}

}  // namespace

std::string sweep_svg(const roofline::DeviceModel& device, std::string_view unit,
                      const FigureSize& size, std::string_view escaped_description) {
  const auto figure =
      figure::layout_sweep(device, unit, size.width, size.height, reports::svg_text_size);
  if (!figure) return {};
  Svg svg(size.width, size.height, "static " + std::string(size.css_class), escaped_description);
  draw_axes(svg, *figure);
  for (const figure::SweepCurve& curve : figure->curves) draw_curve(svg, curve);
  for (const figure::SweepCapacity& capacity : figure->capacities) {
    svg.line(capacity.line.a, capacity.line.b, "capacity");
    svg.text(capacity.name, "tick capacity-label");
  }
  return std::move(svg).finish();
}

}  // namespace mansard::reports
