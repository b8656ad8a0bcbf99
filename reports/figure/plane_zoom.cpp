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

namespace mansard::figure {
namespace {

// Zoom factors for which labels are placed. Text sizes are overestimated, so labels do not overlap
// at slightly smaller factors either.
constexpr std::array kLevels = {0.7, 1.0, 2.0, 4.0, 8.0};
constexpr double kSlack = 0.97;
constexpr double kMarginGap_px = 12;  // between the plot and the names beside it
constexpr double kFarDecades = 40;    // extent of views that leave the limits
constexpr std::size_t kMarksThatPush = 60;

double level_from(std::size_t level) { return level == 0 ? 0 : kSlack * kLevels[level]; }
double level_to(std::size_t level) {
  return level + 1 == kLevels.size() ? 0 : kSlack * kLevels[level + 1];
}

bool outside(const PlanePoint& p, const PlaneFigure& f) {
  const auto out = [](double value, const PlaneAxis& axis) {
    return value > axis.max || (value > 0 && value < axis.min && axis.floor == 0);
  };
  return out(p.x, f.x) || out(p.y, f.y);
}

// A tile of the plane at a zoom factor, with its own layout.
struct Tile {
  int column = 0, row = 0;  // from the lower left
  Rect plot;
  Rect whole;  // the plane
  LogScale x, y;
};

Tile make_tile(const PlaneFigure& f, const Rect& plot, double zoom, int column, int row) {
  const double width = zoom * plot.width();
  const double height = zoom * plot.height();
  const double left = plot.left - column * plot.width();
  const double bottom = plot.bottom + row * plot.height();
  const Rect whole{left, bottom - height, left + width, bottom};
  const Rect part{plot.left, std::max(plot.top, whole.top), std::min(plot.right, whole.right),
                  plot.bottom};
  return {column,
          row,
          part,
          whole,
          LogScale(f.x.min, f.x.max, whole.left, whole.right),
          LogScale(f.y.min, f.y.max, whole.bottom, whole.top)};
}

// A label in a tile, and its position in the drawing.
struct Name {
  Link link;
  std::string text;
  StyleId style = 0;
  std::string when;
  OrientedBox box;  // whose center is the point that moves
  double lift = 0;
};

class ZoomDrawer {
 public:
  ZoomDrawer(const PlaneFigure& figure, std::vector<ZoomSize> sizes, std::size_t max_rows,
             const MeasureText& measure)
      : f_(figure), sizes_(std::move(sizes)), max_rows_(max_rows), measure_(measure) {
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
    for (std::size_t i = 0; i < f_.lines.size(); ++i) {
      lines_.push_back(extended(f_.lines[i], far_x_, far_y_));
      naming_order_.push_back(i);
    }
    std::stable_partition(naming_order_.begin(), naming_order_.end(),
                          [&](std::size_t i) { return holds_at(lines_[i].level, first_); });
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
    for (const ZoomSize& size : sizes_) {
      for (std::size_t level = 0; level < kLevels.size(); ++level) name_lines(size, level);
    }
    out_.set_layer({});
    out_.unclip();
    out_.clip({plot_.right, plot_.top - line_px_ / 2, out_.width(), plot_.bottom + line_px_ / 2});
    for (const ZoomSize& size : sizes_) {
      for (std::size_t level = 0; level < kLevels.size(); ++level) name_beside(size, level);
    }
    out_.set_layer({});
    out_.unclip();
    draw_axes();
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

  static std::string tier_key(const std::optional<MemoryLevel>& level) {
    return level ? std::string(info(*level).key) : std::string();
  }
  // The key of shapes that are drawn while the lines of the tier are highlighted.
  std::string lines_key(const std::optional<MemoryLevel>& level) const {
    const bool chosen = level && std::ranges::find(f_.levels, *level) != f_.levels.end();
    return chosen ? tier_key(level) + "-lines" : std::string();
  }
  bool never_chosen(const std::optional<MemoryLevel>& level) const {
    return level && !f_.levels.empty() && lines_key(level).empty();
  }

  void fill_region(const PlaneRegion& region) {
    if (!(region.x1 > 0) || never_chosen(region.level)) return;
    out_.set_layer({.x_moves = true, .y_moves = true, .when = lines_key(region.level)});
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
      a.tick_px = kTick_px;
      a.label_px =
          vertical ? plot_.left - kTick_px - 3 : plot_.bottom + kTick_px + 1 + line_px_ / 2;
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
      const std::string key = lines_key(line.level);
      for (const bool bold : {true, false}) {
        // Ceilings of hidden tiers are thin; other lines of hidden tiers are not drawn.
        if (!bold && (key.empty() || line.kind != LineKind::ceiling)) continue;
        if (never_chosen(line.level) && line.kind != LineKind::ceiling) continue;
        out_.set_layer({.x_moves = true, .y_moves = true, .when = bold ? key : '!' + key});
        out_.line(a, b,
                  out_.style(line_style(line, line_ink(line), bold && !never_chosen(line.level))),
                  line_link(i));
      }
    }
  }

  // A point with an unknown value stays on the edge of the plot.
  Layer layer_at(PlanePosition p, const std::string& when) const {
    return {.x_moves = p.x > 0, .y_moves = p.y > 0, .when = when};
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
      return f_.levels.empty() ? std::string() : tier_key(p.level);
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
    for (const bool ideals : {false, true}) {
      for (const PlanePoint* p : points) {
        if (ideals && !p->ideal) continue;
        const PlanePosition position = ideals ? *p->ideal : PlanePosition{p->x, p->y};
        const MarkFill look = p->ideal && !ideals ? MarkFill::tinted : MarkFill::solid;
        out_.set_layer(layer_at(position, tier_of(*p)));
        out_.mark(class_shape(p->operation_class), at(position),
                  ideals ? kIdealRadius_px : mark_radius(p->share),
                  out_.style(mark_style(class_ink(p->operation_class), look)),
                  link(*p, ideals ? 1 : 0));
      }
    }
  }

  // Maps a point of a tile to the drawing: `size` is scaled to the first size.
  Point from_tile(Point p, const Tile& tile, double zoom, const Rect& plot) const {
    const double right = plot.left + (p.x - tile.whole.left) / zoom;
    const double down = plot.bottom - (tile.whole.bottom - p.y) / zoom;
    return {plot_.left + (right - plot.left) * plot_.width() / plot.width(),
            plot_.top + (down - plot.top) * plot_.height() / plot.height()};
  }

  OrientedBox from_tile(OrientedBox box, const Tile& tile, double zoom, const Rect& plot) const {
    box.center = from_tile(box.center, tile, zoom, plot);
    box.angle_rad = std::atan2(std::sin(box.angle_rad) * plot_.height() / plot.height(),
                               std::cos(box.angle_rad) * plot_.width() / plot.width());
    return box;
  }

  // Whether the tile's corner is in the region: no boundary separates it from the plane's corner.
  bool holds_in(const PlaneRegion& region, const Tile& tile) const {
    if (tile.column == 0 && tile.row == 0 && region.corner == Corner::bottom_left) return true;
    if (region.corner == Corner::bottom_left) return false;
    const bool right = region.corner == Corner::bottom_right;
    const Point corner{right ? tile.plot.right : tile.plot.left,
                       right ? tile.plot.bottom : tile.plot.top};
    const Point home{right ? tile.whole.right : tile.whole.left,
                     right ? tile.whole.bottom : tile.whole.top};
    const auto side = [](Point p, Point a, Point b) {
      return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    };
    return std::ranges::none_of(lines_, [&](const PlaneLine& line) {
      if (line.kind != LineKind::boundary) return false;
      const Point a{tile.x.map(line.x0), tile.y.map(line.y0)};
      const Point b{tile.x.map(line.x1), tile.y.map(line.y1)};
      return side(corner, a, b) * side(home, a, b) <= 0;
    });
  }

  std::string short_or_long(const PlaneLine& line, const ZoomSize& size) const {
    return size.short_names && !line.label.empty() ? line.name : line.label;
  }

  // Labels of lines and regions, tile by tile. Lines of the first tier are labeled first, then
  // those of other tiers if there is room, so that labels do not overlap for any choice of tiers.
  void name_lines(const ZoomSize& size, std::size_t level) {
    const double zoom = kLevels[level];
    const int tiles = std::max(1, static_cast<int>(zoom));
    std::vector<Name> names;
    for (int column = 0; column < tiles; ++column) {
      for (int row = 0; row < tiles; ++row) {
        name_tile(size, zoom, make_tile(f_, size.plot, zoom, column, row), names);
      }
    }
    std::ranges::stable_sort(names, {}, [](const Name& n) {
      return std::tuple(n.link, std::lround(10 * n.lift), std::lround(1e4 * n.box.angle_rad));
    });
    for (const Name& name : names) {
      out_.set_layer({.x_moves = true,
                      .y_moves = true,
                      .when = name.when,
                      .from = level_from(level),
                      .to = level_to(level)});
      out_.text(name.box, name.text, name.style, name.link, name.lift);
    }
  }

  std::string joined(const std::string& a, const std::string& b) const {
    return b.empty() ? a : a + ' ' + b;
  }

  StyleId haloed(const Ink& ink) {
    Style style = filled(ink);
    style.halo = true;
    return out_.style(style);
  }

  void name_tile(const ZoomSize& size, double zoom, const Tile& tile, std::vector<Name>& names) {
    std::vector<OrientedBox> taken;
    std::vector<PlaneRegion> regions = f_.regions;
    for (PlaneRegion& region : regions) {
      if (never_chosen(region.level) || !holds_in(region, tile)) region.label.clear();
    }
    for (const RegionLabel& label : place_region_labels(regions, tile.plot, measure_)) {
      taken.push_back(label.box);
      const PlaneRegion& region = regions[label.region];
      names.push_back({{Link::To::region, static_cast<std::uint32_t>(label.region)},
                       region.label,
                       haloed(surface_ink(&Surface::faint_text)),
                       joined(size.key, lines_key(region.level)),
                       from_tile(label.box, tile, zoom, size.plot),
                       0});
    }
    std::vector<std::optional<MemoryLevel>> tiers = {first_};
    for (const MemoryLevel level : f_.levels) {
      if (level != first_) tiers.emplace_back(level);
    }
    for (const auto& tier : tiers) name_tier(size, zoom, tile, tier, taken, names);
  }

  void name_tier(const ZoomSize& size, double zoom, const Tile& tile,
                 const std::optional<MemoryLevel>& tier, std::vector<OrientedBox>& taken,
                 std::vector<Name>& names) {
    const bool is_first = tier == first_;
    std::vector<PlaneLine> lines;
    std::vector<std::size_t> index;
    bool any = false;
    for (const std::size_t i : naming_order_) {
      PlaneLine line = lines_[i];
      const bool ceiling = line.kind == LineKind::ceiling;
      if (!ceiling && !holds_at(line.level, tier)) continue;
      // Ceilings and lines without a tier are labeled together with those of the first tier.
      const bool named =
          line.label_place != LabelPlace::margin &&
          (is_first ? ceiling || holds_at(line.level, tier) : !ceiling && line.level.has_value());
      line.label = named ? short_or_long(line, size) : std::string();
      any = any || !line.label.empty();
      lines.push_back(std::move(line));
      index.push_back(i);
    }
    if (!any) return;
    const std::vector<OrientedBox> obstacles = marks_in(tile, tier);
    const auto labels = place_line_labels(lines, tile.x, tile.y,
                                          {tile.plot, tile.plot.right, taken, obstacles}, measure_);
    for (const LineLabel& label : labels) {
      taken.push_back(label.box);
      const PlaneLine& line = lines[label.line];
      // The text moves with the point of the line above or below it.
      const double s = std::sin(label.box.angle_rad);
      const double c = std::cos(label.box.angle_rad);
      const Point on{tile.x.map(line.x0), tile.y.map(line.y0)};
      OrientedBox box = label.box;
      const double lift = (box.center.x - on.x) * s - (box.center.y - on.y) * c;
      box.center = {box.center.x - lift * s, box.center.y + lift * c};
      const bool ceiling = line.kind == LineKind::ceiling;
      names.push_back({line_link(index[label.line]), line.label,
                       haloed(line_name_ink(line, line_ink(line))),
                       joined(size.key, ceiling ? std::string() : lines_key(line.level)),
                       from_tile(box, tile, zoom, size.plot), lift});
    }
  }

  std::vector<OrientedBox> marks_in(const Tile& tile,
                                    const std::optional<MemoryLevel>& tier) const {
    std::vector<std::pair<double, OrientedBox>> found;
    const auto add = [&](PlanePosition p, double radius) {
      const Point at = place(p, f_, tile.x, tile.y, tile.whole);
      if (tile.plot.contains(at)) found.push_back({-radius, {at, 2 * radius, 2 * radius, 0}});
    };
    for (const PlanePoint& p : f_.points) {
      if (p.row >= max_rows_ || (!f_.levels.empty() && !holds_at(p.level, tier))) continue;
      add({p.x, p.y}, mark_radius(p.share));
      if (p.ideal) add(*p.ideal, kIdealRadius_px);
    }
    std::ranges::stable_sort(found, {}, &std::pair<double, OrientedBox>::first);
    std::vector<OrientedBox> boxes;
    for (const auto& [radius, box] : found) {
      if (boxes.size() < kMarksThatPush) boxes.push_back(box);
    }
    return boxes;
  }

  // Labels in the margin move only along the y axis.
  void name_beside(const ZoomSize& size, std::size_t level) {
    const double zoom = kLevels[level];
    const Rect plot{size.plot.left, size.plot.bottom - zoom * size.plot.height(), size.plot.right,
                    size.plot.bottom};
    std::vector<PlaneLine> beside;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].label_place != LabelPlace::margin || never_chosen(lines_[i].level)) continue;
      beside.push_back(lines_[i]);
      beside.back().label = short_or_long(lines_[i], size);
      index.push_back(i);
    }
    const auto labels =
        place_line_labels(beside, LogScale(f_.x.min, f_.x.max, plot.left, plot.right),
                          LogScale(f_.y.min, f_.y.max, plot.bottom, plot.top),
                          {plot, plot.right + kMarginGap_px, {}, {}}, measure_);
    const auto at = [&](Point p) {
      return Point{p.x - plot.right + plot_.right,
                   plot_.bottom - (plot.bottom - p.y) / plot.height() * plot_.height()};
    };
    const StyleId thin = out_.style(stroked(surface_ink(&Surface::axis)));
    for (const LineLabel& label : labels) {
      const PlaneLine& line = beside[label.line];
      const Link link = line_link(index[label.line]);
      out_.set_layer({.y_moves = true,
                      .when = joined(size.key, lines_key(line.level)),
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
      out_.text(box, line.label, haloed(line_name_ink(line, line_ink(line))), link);
    }
  }

  void draw_axes() {
    const StyleId axis = crisp(&Surface::axis);
    out_.line({plot_.left, plot_.top}, {plot_.left, plot_.bottom}, axis);
    out_.line({plot_.left, plot_.bottom}, {plot_.right, plot_.bottom}, axis);
    const StyleId faint = fill(&Surface::faint_text);
    out_.text(
        place_text(axis_title(f_.x, first_), TextAnchor::middle, (plot_.left + plot_.right) / 2,
                   plot_.bottom + kTick_px + 1.8 * line_px_, measure_),
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
  std::vector<PlaneLine> lines_;           // extended beyond every view
  std::vector<std::size_t> naming_order_;  // of lines: those of the first tier first
  std::optional<MemoryLevel> first_;
  Drawing out_;
};

}  // namespace

ZoomablePlane draw_zoomable_plane(const PlaneFigure& figure, std::vector<ZoomSize> sizes,
                                  std::size_t max_rows, const MeasureText& measure) {
  return ZoomDrawer(figure, std::move(sizes), max_rows, measure).draw();
}

}  // namespace mansard::figure
