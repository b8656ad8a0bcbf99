// SPDX-License-Identifier: Apache-2.0
#include "reports/web/roofline_svg.h"

#include <numbers>

#include "kernels/vocabulary/units.h"
#include "reports/figure/ceiling_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/ticks.h"
#include "reports/formats/text.h"
#include "reports/web/roofline_view.h"
#include "reports/web/svg.h"
#include "reports/web/theme.h"

namespace mansard {
namespace {

constexpr double kTickGap_px = 46;
// Mean advance and height of the page's 12 px sans serif; erring wide keeps labels apart.
constexpr double kCharacter_px = 6.6;
constexpr double kLine_px = 15;

TextSize measure(std::string_view text) { return {kCharacter_px * display_width(text), kLine_px}; }

void draw_axes(Svg& svg, const LogScale& x, const LogScale& y, const Rect& plot) {
  for (const Tick& tick : ticks(x, TickLabels::number, kTickGap_px)) {
    if (tick.decade) svg.line({tick.pixel, plot.top}, {tick.pixel, plot.bottom}, "grid");
    if (!tick.label.empty()) svg.text({tick.pixel, plot.bottom + 18}, "middle", tick.label, "tick");
  }
  for (const Tick& tick : ticks(y, TickLabels::si, kTickGap_px / 2)) {
    if (tick.decade) svg.line({plot.left, tick.pixel}, {plot.right, tick.pixel}, "grid");
    if (!tick.label.empty()) svg.text({plot.left - 8, tick.pixel + 4}, "end", tick.label, "tick");
  }
  svg.text({(plot.left + plot.right) / 2, plot.bottom + 38}, "middle",
           "Arithmetic intensity (FLOP/B)", "axis");
  svg.text({plot.left, plot.top - 10}, "start", "FLOP/s", "axis");
}

std::string tooltip(const FigurePoint& point) {
  return truncate_middle(one_line(point.label), 80) + ": " + format_si(point.y, "FLOP/s") + " at " +
         format_si(point.x, "FLOP/B") + ", " + format_percent(point.share) + " of the time";
}

}  // namespace

std::string roofline_svg(const RooflineFigure& figure, const FigureSize& size,
                         std::string_view escaped_description) {
  double margin = 0;
  for (const RoofLine& line : figure.lines) {
    if (!line.diagonal) margin = std::max(margin, measure(line.label).width + 18);
  }
  const Rect plot{52, 28, size.width - std::max(16.0, margin), size.height - 48};
  const LogScale x(figure.x_min, figure.x_max, plot.left, plot.right);
  const LogScale y(figure.y_min, figure.y_max, plot.bottom, plot.top);
  const MemoryLevel level = first_level(figure);

  Svg svg(size.width, size.height, "static " + std::string(size.css_class), escaped_description);
  draw_axes(svg, x, y, plot);
  for (const RoofLine& line : figure.lines) {
    const auto visible =
        clip({{x.map(line.x0), y.map(line.y0)}, {x.map(line.x1), y.map(line.y1)}}, plot);
    if (!visible) continue;
    const bool active = !line.diagonal || line.level == level;
    svg.line(visible->a, visible->b, active ? "roof" : "roof quiet",
             line.diagonal ? colour_style(level_colour(*line.level)) : std::string());
  }

  const std::vector<Mark> marks =
      layout_marks(figure, x, y, plot, [level](const FigurePoint& p) { return p.level == level; });
  std::vector<OrientedBox> obstacles;
  for (const Mark& mark : marks) {
    obstacles.push_back({mark.centre, 2 * mark.radius, 2 * mark.radius, 0});
    const FigurePoint& point = figure.points[mark.point];
    svg.path(class_shape(point.operation_class, mark.radius), "point",
             colour_style(class_colour(point.operation_class)), mark.centre, tooltip(point));
  }
  for (const CeilingLabel& label :
       place_ceiling_labels(figure, x, y, plot, plot.right + 12, obstacles, measure)) {
    const RoofLine& line = figure.lines[label.line];
    if (line.diagonal) {
      svg.text(label.box.centre, "middle", line.label, "roof-label centred",
               label.box.angle_rad * 180 / std::numbers::pi);
    } else {
      svg.line(label.leader.a, label.leader.b, "leader");
      svg.text({label.box.centre.x - label.box.width / 2, label.box.centre.y + 4}, "start",
               line.label, "roof-label");
    }
  }
  return std::move(svg).finish();
}

}  // namespace mansard
