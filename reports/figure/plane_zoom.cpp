// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_zoom.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/figure/line_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/plane_layout.h"
#include "reports/figure/plane_style.h"
#include "reports/figure/plane_zoom_labels.h"

namespace mansard::figure {
namespace {

// Text sizes are overestimated, so labels do not overlap at slightly smaller zooms either.
constexpr double kSlack = 0.97;
constexpr double kPlaneZoomMarginGap_px = 12;  // between the plot and the names beside it
constexpr double kFarDecades = 40;             // extent of views that leave the limits
constexpr std::uint32_t kBeyond = 2;           // first axis link of the counts beyond the sides

double level_from(std::size_t level) { return level == 0 ? 0 : kSlack * kLabelZooms[level]; }
double level_to(std::size_t level) {
  return level + 1 == kLabelZooms.size() ? 0 : kSlack * kLabelZooms[level + 1];
}

bool outside(const PlanePoint& p, const PlaneFigure& f) {
  const auto out = [](double value, const PlaneAxis& axis) {
    return value > axis.max || (value > 0 && value < axis.min && axis.floor == 0);
  };
  return out(p.x, f.x) || out(p.y, f.y);
}

class ZoomDrawer {
 public:
  ZoomDrawer(const PlaneFigure& figure, std::vector<ZoomSize> sizes, std::size_t max_rows,
             const MeasureText& measure)
      : f_(figure),
        sizes_(std::move(sizes)),
        max_rows_(max_rows),
        measure_(measure),
        keys_(figure) {
    for (ZoomSize& size : sizes_) {
      size.plot = lay_out_plane(f_, size.width, size.height, size.short_names, measure).plot;
    }
    plot_ = sizes_.front().plot;
    x_ = LogScale(f_.x.min, f_.x.max, plot_.left, plot_.right);
    y_ = LogScale(f_.y.min, f_.y.max, plot_.bottom, plot_.top);
    free_ = std::ranges::any_of(f_.points, [&](const PlanePoint& p) { return outside(p, f_); });
    far_x_ = far(x_);
    far_y_ = far(y_);
    first_ = first_level(f_);
    for (const PlaneLine& line : f_.lines) lines_.push_back(extended(line, far_x_, far_y_));
    line_px_ = measure("Ag").height;
    out_ = Drawing(sizes_.front().width, sizes_.front().height);
  }

  ZoomablePlane draw() && {
    out_.clip(plot_);
    out_.set_layer({.x_moves = true, .y_moves = true, .when = "!dense"});
    out_.polygon(below_roof(f_, far_x_, far_y_), fill(&Surface::roof));
    for (const PlaneRegion& region : f_.regions) fill_region(region);
    draw_ticks();
    draw_lines();
    draw_marks();
    for (const ZoomSize& size : sizes_) label(size);
    out_.set_layer({});
    out_.unclip();
    out_.clip({plot_.right, plot_.top - line_px_ / 2, out_.width(), plot_.bottom + line_px_ / 2});
    for (const ZoomSize& size : sizes_) {
      for (std::size_t level = 0; level < kLabelZooms.size(); ++level) name_beside(size, level);
    }
    out_.set_layer({});
    out_.unclip();
    draw_axes();
    draw_beyond();
    return {std::move(out_), std::move(sizes_), free_};
  }

 private:
  StyleId fill(Rgb Surface::*role, float opacity = 1) {
    Style style = filled(surface_ink(role));
    style.fill_opacity = opacity;
    return out_.style(style);
  }
  StyleId crisp(Rgb Surface::*role) {
    Style style = stroked(surface_ink(role));
    style.crisp = true;
    return out_.style(style);
  }

  LogScale far(const LogScale& scale) const {
    const double decades = free_ ? kFarDecades : 1;
    const double factor = std::pow(10.0, decades);
    const double px =
        decades * scale.pixels_per_decade() * (scale.pixel_max() > scale.pixel_min() ? 1 : -1);
    return {scale.min() / factor, scale.max() * factor, scale.pixel_min() - px,
            scale.pixel_max() + px};
  }

  void fill_region(const PlaneRegion& region) {
    if (!(region.x1 > 0) || keys_.never_chosen(region.level)) return;
    out_.set_layer({.x_moves = true, .y_moves = true, .when = keys_.lines(region.level)});
    out_.rect({far_x_.pixel_min(), y_.map(region.y1), x_.map(region.x1), far_y_.pixel_min()},
              fill(&Surface::text, 0.06F),
              {Link::To::region, static_cast<std::uint32_t>(&region - f_.regions.data())});
  }

  void draw_ticks() {
    out_.set_layer({});
    const auto axis = [&](const LogScale& scale, const PlaneAxis& of, bool vertical) {
      const double sign = vertical ? -1 : 1;
      const int beyond = free_ ? static_cast<int>(kFarDecades) / 2 : 0;
      ZoomAxis a;
      a.vertical = vertical;
      a.decade_px = sign * scale.pixels_per_decade();
      a.one_px = scale.map_log10(0);
      a.from_px = vertical ? plot_.left : plot_.top;
      a.to_px = vertical ? plot_.right : plot_.bottom;
      a.tick_px = kPlaneTick_px;
      a.label_px = vertical ? plot_.left - kPlaneTick_px - 3
                            : plot_.bottom + kPlaneTick_px + 1 + line_px_ / 2;
      a.major = crisp(&Surface::grid);
      a.minor = crisp(&Surface::grid_minor);
      a.tick = crisp(&Surface::axis);
      a.label = fill(&Surface::text);
      a.decades =
          decade_labels(static_cast<int>(std::floor(std::log10(of.min) + 1e-9)) - beyond,
                        static_cast<int>(std::ceil(std::log10(of.max) - 1e-9)) + beyond, of.ticks);
      a.levels = tick_levels(vertical ? 1.8 * line_px_ : measure_("88.88 M").width + 8);
      out_.axis(std::move(a));
    };
    axis(x_, f_.x, false);
    axis(y_, f_.y, true);
  }

  Link line_link(std::size_t line) const {
    return {Link::To::line, static_cast<std::uint32_t>(line)};
  }

  void draw_lines() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const PlaneLine& line = lines_[i];
      const Point a{x_.map(line.x0), y_.map(line.y0)};
      const Point b{x_.map(line.x1), y_.map(line.y1)};
      if (!line.label.empty()) out_.set_title(line_link(i), line.label);
      const std::string key = keys_.lines(line.level);
      for (const bool bold : {true, false}) {
        // Ceilings of hidden tiers are thin; other lines of hidden tiers are not drawn.
        if (!bold && (key.empty() || line.kind != LineKind::ceiling)) continue;
        if (keys_.never_chosen(line.level) && line.kind != LineKind::ceiling) continue;
        out_.set_layer({.x_moves = true, .y_moves = true, .when = bold ? key : '!' + key});
        out_.line(a, b,
                  out_.style(line_style(
                      line, line_ink(line),
                      bold && !keys_.never_chosen(line.level) && !is_unused(line, f_.used))),
                  line_link(i));
      }
    }
  }

  void draw_marks() {
    std::vector<const PlanePoint*> points;
    for (const PlanePoint& p : f_.points) {
      if (p.row < max_rows_) points.push_back(&p);
    }
    std::ranges::sort(points, {}, [](const PlanePoint* p) {
      return std::tuple(-mark_radius(p->share), p->row, p->x, p->y);
    });
    const auto at = [&](PlanePosition p) { return place(p, f_, x_, y_, plot_); };
    const auto tier_of = [&](const PlanePoint& p) {
      return f_.levels.empty() ? std::string() : LayerKeys::tier(p.level);
    };
    const auto link = [](const PlanePoint& p, std::uint32_t part) {
      return Link{Link::To::kernel, static_cast<std::uint32_t>(p.row), part};
    };
    const StyleId gap = out_.style(stroked(surface_ink(&Surface::axis)));
    for (const PlanePoint* p : points) {
      if (!p->ideal) continue;
      // If only one end is known on an axis, the line extends far beyond the edge of the plot.
      const bool x_known = p->x > 0 || p->ideal->x > 0;
      const bool y_known = p->y > 0 || p->ideal->y > 0;
      const auto end = [&](PlanePosition e) {
        const Point known = at(e);
        return Point{e.x > 0 || !x_known ? known.x : far_x_.pixel_min(),
                     e.y > 0 || !y_known ? known.y : far_y_.pixel_min()};
      };
      out_.set_layer({.x_moves = x_known, .y_moves = y_known, .when = tier_of(*p)});
      out_.line(end({p->x, p->y}), end(*p->ideal), gap, link(*p, 0));
    }
    for (const PlanePoint* p : points) {
      if (!(p->saving_s > 0)) continue;
      out_.set_layer(layer_at(f_, {p->x, p->y}, tier_of(*p)));
      out_.mark(MarkShape::circle, at({p->x, p->y}), mark_radius(p->share) + kSavingRing_px,
                out_.style(saving_ring_style()), link(*p, 2));
    }
    for (const bool ideals : {false, true}) {
      for (const PlanePoint* p : points) {
        if (ideals && !p->ideal) continue;
        const PlanePosition position = ideals ? *p->ideal : PlanePosition{p->x, p->y};
        const MarkFill look = p->ideal && !ideals ? MarkFill::tinted : MarkFill::solid;
        out_.set_layer(layer_at(f_, position, tier_of(*p)));
        out_.mark(class_shape(p->operation_class), at(position),
                  ideals ? kIdealRadius_px : mark_radius(p->share),
                  out_.style(mark_style(class_ink(p->operation_class), look)),
                  link(*p, ideals ? 1 : 0));
      }
    }
  }

  void label(const ZoomSize& size) {
    const LabeledPlane plane{f_, lines_, plot_, max_rows_};
    draw_labels(first_labels(plane, size, measure_), 0, 0);
    for (std::size_t level = 0; level < kLabelZooms.size(); ++level) {
      draw_labels(zoom_labels(plane, size, kLabelZooms[level], measure_), level_from(level),
                  level_to(level));
    }
  }

  void draw_labels(const std::vector<ZoomLabel>& labels, double from, double to) {
    for (const ZoomLabel& l : labels) {
      Layer layer = l.layer;
      layer.from = from;
      layer.to = to;
      out_.set_layer(layer);
      if (l.anchor == TextAnchor::middle) {
        out_.text(l.box, l.text, haloed(l.ink), l.link, l.lift);
        continue;
      }
      const OrientedBox& b = l.box;
      out_.text(l.text,
                {b.center.x - b.width / 2, b.center.y - b.height / 2, b.center.x + b.width / 2,
                 b.center.y + b.height / 2},
                l.anchor, haloed(l.ink), l.link);
    }
  }

  StyleId haloed(const Ink& ink) {
    Style style = filled(ink);
    style.halo = true;
    return out_.style(style);
  }

  // Labels in the margin move only along the y axis.
  void name_beside(const ZoomSize& size, std::size_t level) {
    const double zoom = kLabelZooms[level];
    const Rect plot{size.plot.left, size.plot.bottom - zoom * size.plot.height(), size.plot.right,
                    size.plot.bottom};
    std::vector<PlaneLine> beside;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].label_place != LabelPlace::margin || keys_.never_chosen(lines_[i].level))
        continue;
      beside.push_back(lines_[i]);
      beside.back().label =
          size.short_names && !lines_[i].label.empty() ? lines_[i].name : lines_[i].label;
      index.push_back(i);
    }
    const auto labels =
        place_line_labels(beside, LogScale(f_.x.min, f_.x.max, plot.left, plot.right),
                          LogScale(f_.y.min, f_.y.max, plot.bottom, plot.top),
                          {plot, plot.right + kPlaneZoomMarginGap_px, {}, {}}, measure_);
    const auto at = [&](Point p) {
      return Point{p.x - plot.right + plot_.right,
                   plot_.bottom - (plot.bottom - p.y) / plot.height() * plot_.height()};
    };
    const StyleId thin = out_.style(stroked(surface_ink(&Surface::axis)));
    for (const LineLabel& label : labels) {
      const PlaneLine& line = beside[label.line];
      const Link link = line_link(index[label.line]);
      out_.set_layer({.y_moves = true,
                      .when = LayerKeys::joined(size.key, keys_.lines(line.level)),
                      .zoom = Layer::Zoom::y,
                      .from = level_from(level),
                      .to = level_to(level),
                      .starts_px = x_.map(line.x0)});
      const Point& a = label.leader.a;
      const Point& b = label.leader.b;
      const std::array<Point, 4> leader = {at(a), at({a.x + 5, a.y}), at({b.x - 2, b.y}), at(b)};
      out_.polyline(leader, thin, link);
      OrientedBox box = label.box;
      box.center = at(box.center);
      out_.text(box, line.label,
                haloed(line_name_ink(line, line_ink(line), is_unused(line, f_.used))), link);
    }
  }

  // Counts of the points outside the view, which the renderer sets.
  void draw_beyond() {
    constexpr std::string_view kLongest = "← 88888 kernels, 100.0 %";
    Style style = filled(surface_ink(&Surface::faint_text));
    style.halo = true;
    std::array<PointsBeyond, 4> all;
    all.fill({1, 0});
    const auto boxes =
        place_beyond(all, plot_, [&](std::string_view) { return measure_(kLongest); });
    constexpr std::array kAnchors = {TextAnchor::start, TextAnchor::end, TextAnchor::middle,
                                     TextAnchor::middle};
    for (std::uint32_t side = 0; side < boxes.size(); ++side) {
      const OrientedBox& box = boxes[side].box;
      out_.text("",
                {box.center.x - box.width / 2, box.center.y - box.height / 2,
                 box.center.x + box.width / 2, box.center.y + box.height / 2},
                kAnchors[side], out_.style(style), {Link::To::axis, kBeyond + side});
    }
  }

  void draw_axes() {
    const StyleId axis = crisp(&Surface::axis);
    out_.line({plot_.left, plot_.top}, {plot_.left, plot_.bottom}, axis);
    out_.line({plot_.left, plot_.bottom}, {plot_.right, plot_.bottom}, axis);
    const StyleId faint = fill(&Surface::faint_text);
    out_.text(
        place_text(axis_title(f_.x, first_), TextAnchor::middle, (plot_.left + plot_.right) / 2,
                   plot_.bottom + kPlaneTick_px + 1.8 * line_px_, measure_),
        faint, {Link::To::axis, 0});
    out_.text(place_text(axis_title(f_.y, first_), TextAnchor::start, 4, plot_.top - 0.9 * line_px_,
                         measure_),
              faint, {Link::To::axis, 1});
  }

  const PlaneFigure& f_;
  std::vector<ZoomSize> sizes_;
  std::size_t max_rows_;
  const MeasureText& measure_;
  bool free_ = false;
  double line_px_ = 0;
  Rect plot_;
  LogScale x_{0.1, 1, 0, 1};
  LogScale y_{0.1, 1, 1, 0};
  LogScale far_x_ = x_;
  LogScale far_y_ = y_;
  LayerKeys keys_;
  std::vector<PlaneLine> lines_;  // extended beyond every view
  std::optional<MemoryLevel> first_;
  Drawing out_;
};

}  // namespace

ZoomablePlane draw_zoomable_plane(const PlaneFigure& figure, std::vector<ZoomSize> sizes,
                                  std::size_t max_rows, const MeasureText& measure) {
  return ZoomDrawer(figure, std::move(sizes), max_rows, measure).draw();
}

}  // namespace mansard::figure
