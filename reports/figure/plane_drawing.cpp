// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "analyzer/table.h"
#include "reports/figure/plane_layout.h"
#include "reports/figure/plane_style.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::figure {
namespace {

constexpr double kLegendMark_px = 5.5;
constexpr double kTierMark_px = 4;

OrientedBox upright(Point center, TextSize size) { return {center, size.width, size.height, 0}; }

class PlaneDrawer {
 public:
  PlaneDrawer(Drawing& out, const PlaneFigure& figure, const PlaneLayout& layout,
              const MeasureText& measure, const PlaneOverlay& overlay)
      : f_(figure), s_(layout), overlay_(overlay), measure_(measure), out_(out) {}

  void draw() {
    out_.clear(s_.width, s_.height);
    out_.clip(s_.plot);
    fill_below_roof();
    for (const PlaneRegion& region : f_.regions) fill_region(region);
    draw_grid();
    draw_lines();
    if (overlay_.density) {
      // One cell per pixel: the plot's edge may cut the last ones.
      out_.raster(
          {s_.plot.left, s_.plot.top, s_.plot.left + static_cast<double>(overlay_.density->columns),
           s_.plot.top + static_cast<double>(overlay_.density->lines)},
          overlay_.density);
    }
    draw_marks();
    out_.unclip();
    name_lines();
    name_regions();
    for (const NamedBox& beyond : s_.beyond) {
      plate(beyond, surface_ink(&Surface::faint_text), surface_ink(&Surface::roof));
    }
    for (const NamedBox& name : s_.mark_names) {
      plate(name, surface_ink(&Surface::text), surface_ink(&Surface::roof));
    }
    if (s_.selection) name_selection(*s_.selection);
    draw_axes();
    draw_legend();
    draw_density_key();
    draw_notice();
  }

 private:
  StyleId fill(const Ink& ink, float opacity = 1) {
    Style style = filled(ink);
    style.fill_opacity = opacity;
    return out_.style(style);
  }
  StyleId stroke(const Ink& ink, float width_px = 1, LinePattern pattern = LinePattern::solid) {
    Style style = stroked(ink, width_px);
    style.pattern = pattern;
    return out_.style(style);
  }
  StyleId crisp(const Ink& ink) {
    Style style = stroked(ink);
    style.crisp = true;
    return out_.style(style);
  }
  StyleId haloed(const Ink& ink) {
    Style style = filled(ink);
    style.halo = true;
    return out_.style(style);
  }
  StyleId text() { return fill(surface_ink(&Surface::text)); }

  // Text on a nearly opaque background.
  void plate(const NamedBox& name, const Ink& ink, const Ink& ground) {
    const OrientedBox& box = name.box;
    Style style = filled(ground);
    style.fill_opacity = 0.85F;
    style.round = true;
    out_.rect({box.center.x - box.width / 2 - 2, box.center.y - box.height / 2,
               box.center.x + box.width / 2 + 2, box.center.y + box.height / 2},
              out_.style(style));
    out_.text(box, name.text, fill(ink));
  }

  std::optional<Segment> visible(const PlaneLine& l) const {
    return figure::clip({{s_.x.map(l.x0), s_.y.map(l.y0)}, {s_.x.map(l.x1), s_.y.map(l.y1)}},
                        s_.plot);
  }
  Point at(const PlanePosition& position) const { return place(position, f_, s_.x, s_.y, s_.plot); }

  void fill_below_roof() {
    out_.polygon(clip_polygon(below_roof(f_, s_.x, s_.y), s_.plot),
                 fill(surface_ink(&Surface::roof)));
  }

  // The box starts at the lower left corner of the plane, which may be out of view.
  void fill_region(const PlaneRegion& region) {
    if (!(region.x1 > 0) || !holds_at(region.level, s_.level)) return;
    const double right = std::min(s_.x.map(region.x1), s_.plot.right);
    const double top = std::max(s_.y.map(region.y1), s_.plot.top);
    if (right <= s_.plot.left || top >= s_.plot.bottom) return;
    out_.rect({s_.plot.left, top, right, s_.plot.bottom}, fill(surface_ink(&Surface::text), 0.06F));
  }

  std::vector<Tick> x_ticks() const {
    return ticks(s_.x, f_.x.ticks, measure_("88.88 M").width + 8);
  }
  std::vector<Tick> y_ticks() const { return ticks(s_.y, f_.y.ticks, 1.8 * s_.line_px); }

  void draw_grid() {
    const auto x = x_ticks();
    const auto y = y_ticks();
    for (const bool decades : {false, true}) {
      const StyleId grid = crisp(surface_ink(decades ? &Surface::grid : &Surface::grid_minor));
      for (const Tick& t : x) {
        if (t.decade == decades) {
          out_.line({t.pixel, s_.plot.top}, {t.pixel, s_.plot.bottom}, grid);
        }
      }
      for (const Tick& t : y) {
        if (t.decade == decades) {
          out_.line({s_.plot.left, t.pixel}, {s_.plot.right, t.pixel}, grid);
        }
      }
    }
  }

  void draw_axes() {
    const StyleId axis = crisp(surface_ink(&Surface::axis));
    const Rect& plot = s_.plot;
    out_.line({plot.left, plot.top}, {plot.left, plot.bottom}, axis);
    out_.line({plot.left, plot.bottom}, {plot.right, plot.bottom}, axis);
    std::vector<PlacedText> names;
    for (const Tick& t : x_ticks()) {
      if (t.label.empty()) continue;
      out_.line({t.pixel, plot.bottom}, {t.pixel, plot.bottom + kPlaneTick_px}, axis);
      names.push_back(place_text(t.label, TextAnchor::middle, t.pixel,
                                 plot.bottom + kPlaneTick_px + 1 + s_.line_px / 2, measure_));
    }
    for (const Tick& t : y_ticks()) {
      if (t.label.empty()) continue;
      out_.line({plot.left - kPlaneTick_px, t.pixel}, {plot.left, t.pixel}, axis);
      names.push_back(
          place_text(t.label, TextAnchor::end, plot.left - kPlaneTick_px - 3, t.pixel, measure_));
    }
    for (const PlacedText& name : names) out_.text(name, text());
    const StyleId faint = fill(surface_ink(&Surface::faint_text));
    const double middle = (plot.left + plot.right) / 2;
    out_.text(
        place_text(axis_title(f_.x, s_.level), TextAnchor::middle, middle, title_y(), measure_),
        faint);
    const std::string title = axis_title(f_.y, s_.level);
    if (s_.y_title_above) {
      out_.text(place_text(title, TextAnchor::start, 4, plot.top - 0.9 * s_.line_px, measure_),
                faint);
    } else {
      const TextSize size = measure_(title);
      out_.text({{0.9 * s_.line_px, (plot.top + plot.bottom) / 2},
                 size.width,
                 size.height,
                 -std::numbers::pi / 2},
                title, faint);
    }
  }

  double title_y() const { return s_.plot.bottom + kPlaneTick_px + 1.8 * s_.line_px; }

  bool foreign(std::size_t line) const { return line >= s_.own_lines; }
  bool bounds_selection(std::size_t line) const {
    return s_.selection && !s_.selection->ceiling.empty() && !foreign(line) &&
           s_.lines[line].id == s_.selection->ceiling;
  }
  bool is_prominent(std::size_t line) const { return s_.prominent.empty() || s_.prominent[line]; }

  Ink line_ink(std::size_t index) const {
    return bounds_selection(index) ? surface_ink(&Surface::accent)
                                   : figure::line_ink(s_.lines[index]);
  }

  StyleId line_style(std::size_t index) {
    const Ink ink = line_ink(index);
    if (foreign(index)) return stroke(ink, 1.5F, LinePattern::long_dashed);
    const bool bold = bounds_selection(index) || is_prominent(index);
    return out_.style(figure::line_style(s_.lines[index], ink, bold));
  }

  // Equal ceilings overlap: the one that bounds the selection is drawn last.
  void draw_lines() {
    for (const bool bounding : {false, true}) {
      for (std::size_t i = 0; i < s_.lines.size(); ++i) {
        if (bounds_selection(i) != bounding) continue;
        const auto seen = visible(s_.lines[i]);
        if (!seen) continue;
        const Link link{Link::To::line, static_cast<std::uint32_t>(i)};
        out_.line(seen->a, seen->b, line_style(i), link);
        if (!s_.lines[i].label.empty()) out_.set_title(link, s_.lines[i].label);
      }
    }
  }

  void name_lines() {
    for (const LineLabel& label : s_.line_labels) {
      const PlaneLine& line = s_.lines[label.line];
      if (line.label_place == LabelPlace::margin) {
        const Point& a = label.leader.a;
        const Point& b = label.leader.b;
        const std::array<Point, 4> leader = {a, {a.x + 5, a.y}, {b.x - 2, b.y}, b};
        out_.polyline(leader, stroke(surface_ink(&Surface::axis)));
      }
      out_.text(label.box, line.label,
                haloed(line_name_ink(line, line_ink(label.line), is_unused(line, f_.used))));
    }
  }

  void name_regions() {
    for (const RegionLabel& label : s_.region_labels) {
      out_.text(label.box, f_.regions[label.region].label,
                haloed(surface_ink(&Surface::faint_text)));
    }
  }

  StyleId mark_style(const Ink& ink, MarkFill look) {
    return out_.style(figure::mark_style(ink, look));
  }

  void draw_marks() {
    std::vector<MarkShape> shapes;
    std::vector<Ink> inks;
    for (const analysis::OperationClass c : s_.classes) {
      shapes.push_back(class_shape(c));
      inks.push_back(class_ink(c));
    }
    const StyleId plain = mark_style(surface_ink(&Surface::axis), MarkFill::hollow);
    for (const Mark& m : s_.filtered_out) {
      out_.mark(shapes[m.group], m.center, std::min(m.radius, 5.0), plain);
    }
    if (s_.selection && s_.selection->gap) draw_gap(*s_.selection->gap);
    const bool has_ideals = std::ranges::any_of(
        s_.marks, [this](const Mark& m) { return f_.points[m.point].ideal.has_value(); });
    if (has_ideals) draw_lines_to_ideals();
    draw_baseline();

    const auto look = s_.open_marks || has_ideals ? MarkFill::tinted : MarkFill::solid;
    std::vector<StyleId> styles;
    std::vector<StyleId> solid;
    for (const Ink& ink : inks) {
      styles.push_back(mark_style(ink, look));
      solid.push_back(mark_style(ink, MarkFill::solid));
    }
    const auto kernel = [this](const Mark& m, std::uint32_t ideal) {
      return Link{Link::To::kernel, static_cast<std::uint32_t>(f_.points[m.point].row), ideal};
    };
    const auto draw_mark = [&](const Mark& m) {
      out_.mark(shapes[m.group], m.center, m.radius, styles[m.group], kernel(m, 0));
    };
    std::ranges::for_each(s_.marks, draw_mark);
    for (const Mark& m : s_.marks) {
      if (f_.points[m.point].saving_s > 0) {
        out_.mark(MarkShape::circle, m.center, m.radius + kSavingRing_px,
                  out_.style(saving_ring_style()));
      }
    }
    // Drawn again, since other marks may cover the selected one.
    for (const Mark& m : s_.marks) {
      if (s_.selection && f_.points[m.point].row == s_.selection->row) draw_mark(m);
    }
    if (has_ideals) {
      for (const Mark& m : s_.marks) {
        const auto& ideal = f_.points[m.point].ideal;
        if (!ideal) continue;
        const Point position = at(*ideal);
        if (!s_.plot.contains(position)) continue;
        out_.mark(shapes[m.group], position, kIdealRadius_px, solid[m.group], kernel(m, 1));
      }
    }
    if (s_.selection) draw_tiers(*s_.selection);
    for (const PlaneRing& ring : overlay_.rings) {
      out_.mark(MarkShape::circle, ring.center, ring.radius,
                ring.selected ? stroke(surface_ink(&Surface::accent), 2.5F)
                              : stroke(surface_ink(&Surface::text), 1.5F));
    }
    if (s_.selection && s_.selection->launch) {
      out_.mark(MarkShape::circle, *s_.selection->launch, 3.5,
                mark_style(surface_ink(&Surface::accent), MarkFill::solid));
    }
  }

  void draw_gap(const Segment& gap) {
    out_.line(gap.a, gap.b, stroke(surface_ink(&Surface::accent), 1.4F, LinePattern::dashed));
    out_.line({gap.b.x - 7, gap.b.y}, {gap.b.x + 7, gap.b.y},
              stroke(surface_ink(&Surface::accent), 2));
  }

  void draw_lines_to_ideals() {
    std::vector<Segment> lines;
    for (const Mark& m : s_.marks) {
      const auto& ideal = f_.points[m.point].ideal;
      if (!ideal) continue;
      if (const auto seen = figure::clip({m.center, at(*ideal)}, s_.plot)) lines.push_back(*seen);
    }
    out_.segments(lines, stroke(surface_ink(&Surface::axis)));
  }

  void draw_baseline() {
    for (const Mark& m : s_.baseline_marks) {
      const analysis::OperationClass c = s_.baseline->points[m.point].operation_class;
      out_.mark(class_shape(c), m.center, m.radius, mark_style(class_ink(c), MarkFill::hollow));
    }
    for (const PlaneArrow& a : s_.arrows) {
      draw_arrow(a.arrow, surface_ink(a.change == Change::slower   ? &Surface::loss
                                      : a.change == Change::faster ? &Surface::gain
                                                                   : &Surface::faint_text));
    }
  }

  void draw_arrow(const Arrow& arrow, const Ink& ink) {
    out_.line(arrow.shaft.a, arrow.shaft.b, stroke(ink, 1.4F));
    out_.polygon(arrow.head, fill(ink));
  }

  void draw_tiers(const PlaneSelection& selection) {
    if (selection.tiers.empty()) return;
    out_.line(selection.tiers.front().at, selection.tiers.back().at,
              stroke(surface_ink(&Surface::accent), 1, LinePattern::dotted));
    for (const TierMark& tier : selection.tiers) {
      if (tier.level == s_.level) continue;
      out_.mark(MarkShape::diamond, tier.at, kTierMark_px,
                mark_style(tier_ink(tier.level), MarkFill::solid));
    }
  }

  void name_selection(const PlaneSelection& selection) {
    const Ink ground = surface_ink(&Surface::background);
    plate(selection.name, surface_ink(&Surface::text), ground);
    plate(selection.caption, legible(surface_ink(&Surface::accent)), ground);
    for (const TierMark& tier : selection.tiers) {
      if (!tier.label) continue;
      plate({std::string(info(tier.level).label), *tier.label}, legible(tier_ink(tier.level)),
            ground);
    }
  }

  void draw_legend() {
    for (std::size_t i = 0; i < s_.legend.size(); ++i) {
      const ClassKey& key = s_.legend[i];
      const Link link{Link::To::operation_class, static_cast<std::uint32_t>(i)};
      const double middle = (key.area.top + key.area.bottom) / 2;
      out_.rect(key.area, out_.style({}), link);
      out_.mark(class_shape(key.operation_class), {key.area.left + 8, middle}, kLegendMark_px,
                fill(class_ink(key.operation_class)), link);
      out_.text(place_text(key.operation_class.name(), TextAnchor::start, key.area.left + 20,
                           middle, measure_),
                text(), link);
    }
    if (!s_.baseline_key) return;
    constexpr double kRadius_px = 5;
    const Rect& area = s_.baseline_key->box;
    const double middle = (area.top + area.bottom) / 2;
    const Ink neutral = surface_ink(&Surface::faint_text);
    const Point theirs{area.left + 8, middle};
    const Point ours{area.left + 48, middle};
    out_.mark(MarkShape::circle, theirs, kRadius_px, mark_style(neutral, MarkFill::hollow));
    out_.mark(MarkShape::circle, ours, kRadius_px, mark_style(neutral, MarkFill::solid));
    if (const auto arrow = place_arrow(theirs, kRadius_px, ours, kRadius_px)) {
      draw_arrow(*arrow, neutral);
    }
    out_.text(place_text(s_.baseline_key->text, TextAnchor::end, area.right, middle, measure_),
              text());
  }

  // The density legend in the line of the axis title: from one launch per pixel to the maximum.
  void draw_density_key() {
    const std::uint32_t highest = overlay_.density ? overlay_.density->highest : 0;
    if (highest == 0) return;
    const std::string few = "1";
    const std::string many = analysis::format_count(highest);
    const std::string unit = "launches per pixel";
    const double gap = measure_(" ").width * 1.5;
    const double bar_px = highest > 1 ? 90 : s_.line_px;
    double width = bar_px + gap + measure_(few).width + gap + measure_(unit).width;
    if (highest > 1) width += gap + measure_(many).width;
    const double title_px = measure_(axis_title(f_.x, s_.level)).width;
    if (width > (s_.plot.width() - title_px) / 2 - gap) return;
    const StyleId faint = fill(surface_ink(&Surface::faint_text));
    double x = s_.plot.right - width;
    const double y = title_y();
    const auto write = [&](const std::string& words) {
      const PlacedText placed = place_text(words, TextAnchor::start, x, y, measure_);
      out_.text(placed, faint);
      x = placed.box.right + gap;
    };
    write(few);
    // A color bar of all densities, as counts up to 2^kFinest.
    constexpr double kFinest = 31;
    auto bar = std::make_shared<Raster>(Raster{highest > 1 ? 90U : 1U, 1, {}, 1U << 31});
    const double last = std::max(1.0, static_cast<double>(bar->columns) - 1);
    for (std::size_t i = 0; i < bar->columns; ++i) {
      bar->counts.push_back(
          static_cast<std::uint32_t>(std::exp2(kFinest * static_cast<double>(i) / last)));
    }
    out_.raster({x, y - 0.3 * s_.line_px, x + bar_px, y + 0.3 * s_.line_px}, std::move(bar));
    x += bar_px + gap;
    if (highest > 1) write(many);
    write(unit);
  }

  void draw_notice() {
    if (overlay_.notice.empty()) return;
    plate({overlay_.notice,
           upright({(s_.plot.left + s_.plot.right) / 2, s_.plot.bottom - 1.5 * s_.line_px},
                   measure_(overlay_.notice))},
          surface_ink(&Surface::text), surface_ink(&Surface::roof));
  }

  const PlaneFigure& f_;
  const PlaneLayout& s_;
  const PlaneOverlay& overlay_;
  const MeasureText& measure_;
  Drawing& out_;
};

}  // namespace

void draw_plane(Drawing& out, const PlaneFigure& figure, const PlaneLayout& layout,
                const MeasureText& measure, const PlaneOverlay& overlay) {
  PlaneDrawer(out, figure, layout, measure, overlay).draw();
}

std::string axis_title(const PlaneAxis& axis, const std::optional<MemoryLevel>& level) {
  std::string title = axis.label;
  if (axis.of_level && level) title += " at " + std::string(info(*level).label);
  return title + " (" + axis.unit + ')';
}

}  // namespace mansard::figure
