// SPDX-License-Identifier: Apache-2.0
#include "reports/web/plane_svg.h"

#include <numbers>

#include "reports/figure/line_labels.h"
#include "reports/figure/marks.h"
#include "reports/web/page_theme.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr double kTickGap_px = 46;
// Mean advance and height of the page's 12 px sans serif; erring wide keeps labels apart.
constexpr double kCharacter_px = 6.6;
constexpr double kLine_px = 15;
constexpr double kMarginGap_px = 12;  // between the plot and the names of ceilings beside it

figure::TextSize measure(std::string_view text) {
  return {kCharacter_px * display_width(text), kLine_px};
}

class PlaneSvg {
 public:
  PlaneSvg(const figure::PlaneFigure& figure, const FigureSize& size, std::string_view description)
      : figure_(figure),
        level_(figure::first_level(figure)),
        plot_(plot_of(figure, size)),
        x_(figure.x.min, figure.x.max, plot_.left, plot_.right),
        y_(figure.y.min, figure.y.max, plot_.bottom, plot_.top),
        svg_(size.width, size.height, "static " + std::string(size.css_class), description) {
    for (const figure::PlaneLine& line : figure.lines) {
      if (line.kind == figure::LineKind::ceiling || figure::holds_at(line.level, level_))
        lines_.push_back(line);
    }
  }

  std::string draw() && {
    draw_axes();
    svg_.open_clip(plot_);
    for (const figure::PlaneRegion& region : figure_.regions) draw_box(region);
    for (const figure::PlaneLine& line : lines_) draw_line(line);
    const std::vector<figure::Mark> marks = figure::layout_marks(
        figure_, x_, y_, plot_, [this](const figure::PlanePoint& p) { return shown(p); });
    draw_marks(marks);
    svg_.close_clip();
    draw_names(marks);
    return std::move(svg_).finish();
  }

 private:
  static figure::Rect plot_of(const figure::PlaneFigure& figure, const FigureSize& size) {
    double margin = 0;
    for (const figure::PlaneLine& line : figure.lines) {
      if (line.label_place != figure::LabelPlace::margin) continue;
      margin = std::max(margin, measure(line.label).width + kMarginGap_px + 6);
    }
    return {52, 28, size.width - std::max(22.0, margin), size.height - 48};
  }

  bool shown(const figure::PlanePoint& point) const {
    return figure_.levels.empty() || figure::holds_at(point.level, level_);
  }

  figure::Point at(figure::PlanePosition position) const {
    return place(position, figure_, x_, y_, plot_);
  }

  void draw_axes() {
    for (const figure::Tick& tick : figure::ticks(x_, figure_.x.ticks, kTickGap_px)) {
      if (tick.decade) svg_.line({tick.pixel, plot_.top}, {tick.pixel, plot_.bottom}, "grid");
      if (tick.label.empty()) continue;
      svg_.text({tick.pixel, plot_.bottom + 18}, "middle", tick.label, "tick");
    }
    for (const figure::Tick& tick : figure::ticks(y_, figure_.y.ticks, kTickGap_px / 2)) {
      if (tick.decade) svg_.line({plot_.left, tick.pixel}, {plot_.right, tick.pixel}, "grid");
      if (tick.label.empty()) continue;
      svg_.text({plot_.left - 8, tick.pixel + 4}, "end", tick.label, "tick");
    }
    svg_.text({(plot_.left + plot_.right) / 2, plot_.bottom + 38}, "middle",
              axis_title(figure_.x, level_), "axis");
    svg_.text({plot_.left, plot_.top - 10}, "start", axis_title(figure_.y, level_), "axis");
  }

  void draw_box(const figure::PlaneRegion& region) {
    if (!(region.x1 > 0) || !figure::holds_at(region.level, level_)) return;
    const figure::Point corner = at({region.x1, region.y1});
    svg_.rect({plot_.left, corner.y, corner.x, plot_.bottom}, "region");
  }

  void draw_line(const figure::PlaneLine& line) {
    const figure::Segment whole{{x_.map(line.x0), y_.map(line.y0)},
                                {x_.map(line.x1), y_.map(line.y1)}};
    const auto visible = figure::clip(whole, plot_);
    if (!visible) return;
    std::string_view css_class = "roof";
    if (line.kind == figure::LineKind::ceiling && !figure::holds_at(line.level, level_))
      css_class = "roof quiet";
    if (line.kind == figure::LineKind::boundary) css_class = "boundary";
    if (line.kind == figure::LineKind::iso) css_class = "iso";
    const bool coloured = line.kind == figure::LineKind::ceiling && line.level;
    svg_.line(visible->a, visible->b, css_class,
              coloured ? colour_style(level_colour(*line.level)) : std::string());
  }

  std::string tooltip(const figure::PlanePoint& point) const {
    const auto amount = [](double value, const figure::PlaneAxis& axis) {
      return value > 0 ? format_si(value, axis.unit) : "no known " + axis.unit;
    };
    return truncate_middle(one_line(point.label), 80) + ": " + amount(point.y, figure_.y) + ", " +
           amount(point.x, figure_.x) + ", " + format_percent(point.share) + " of the time";
  }

  void draw_marks(const std::vector<figure::Mark>& marks) {
    for (const figure::Mark& mark : marks) {
      const figure::PlanePoint& point = figure_.points[mark.point];
      if (point.ideal) svg_.line(mark.centre, at(*point.ideal), "gap");
    }
    for (const figure::Mark& mark : marks) {
      const figure::PlanePoint& point = figure_.points[mark.point];
      const std::string style = colour_style(class_colour(point.operation_class));
      const std::string shape = class_shape(point.operation_class, mark.radius);
      if (!point.ideal) {
        svg_.path(shape, "point", style, mark.centre, tooltip(point));
        continue;
      }
      svg_.path(shape, "point open", style, mark.centre, tooltip(point));
      svg_.path(class_shape(point.operation_class, figure::kIdealRadius_px), "point", style,
                at(*point.ideal), tooltip(point));
    }
  }

  void draw_names(const std::vector<figure::Mark>& marks) {
    std::vector<figure::OrientedBox> obstacles;
    for (const figure::Mark& mark : marks) {
      obstacles.push_back({mark.centre, 2 * mark.radius, 2 * mark.radius, 0});
      const auto& ideal = figure_.points[mark.point].ideal;
      if (ideal)
        obstacles.push_back(
            {at(*ideal), 2 * figure::kIdealRadius_px, 2 * figure::kIdealRadius_px, 0});
    }
    std::vector<figure::OrientedBox> names;
    for (const figure::RegionLabel& label :
         figure::place_region_labels(figure_.regions, plot_, measure)) {
      names.push_back(label.box);
      const figure::Point left{label.box.centre.x - label.box.width / 2, label.box.centre.y + 4};
      svg_.text(left, "start", figure_.regions[label.region].label, "region-label");
    }
    const figure::LabelRoom room{plot_, plot_.right + kMarginGap_px, names, obstacles};
    for (const figure::LineLabel& label :
         figure::place_line_labels(lines_, x_, y_, room, measure)) {
      const figure::PlaneLine& line = lines_[label.line];
      const bool quiet = line.kind == figure::LineKind::iso;
      if (line.label_place != figure::LabelPlace::margin) {
        svg_.text(label.box.centre, "middle", line.label,
                  quiet ? "roof-label quiet centred" : "roof-label centred",
                  label.box.angle_rad * 180 / std::numbers::pi);
      } else {
        svg_.line(label.leader.a, label.leader.b, "leader");
        svg_.text({label.box.centre.x - label.box.width / 2, label.box.centre.y + 4}, "start",
                  line.label, "roof-label");
      }
    }
  }

  const figure::PlaneFigure& figure_;
  std::optional<MemoryLevel> level_;  // whose points are shown
  figure::Rect plot_;
  figure::LogScale x_;
  figure::LogScale y_;
  Svg svg_;
  std::vector<figure::PlaneLine> lines_;
};

}  // namespace

std::string axis_title(const figure::PlaneAxis& axis, std::optional<MemoryLevel> level) {
  std::string title = axis.label;
  if (axis.of_level && level) title += " at " + std::string(info(*level).label);
  return title + " (" + axis.unit + ')';
}

std::string plane_svg(const figure::PlaneFigure& figure, const FigureSize& size,
                      std::string_view escaped_description) {
  return PlaneSvg(figure, size, escaped_description).draw();
}

}  // namespace mansard::reports
