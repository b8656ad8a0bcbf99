// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_zoom_labels.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "reports/figure/line_labels.h"
#include "reports/figure/mark_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/plane_layout.h"
#include "reports/figure/plane_style.h"

namespace mansard::figure {
namespace {

constexpr std::size_t kMarksThatPush = 60;
constexpr double kLeastShareWithName = 0.02;

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

// The part of the plane that is shown first, as a tile.
Tile first_tile(const PlaneFigure& f, const Rect& plot) {
  const LogScale x(f.x.first_min, f.x.first_max, plot.left, plot.right);
  const LogScale y(f.y.first_min, f.y.first_max, plot.bottom, plot.top);
  const Rect whole{x.map(f.x.min), y.map(f.y.max), x.map(f.x.max), y.map(f.y.min)};
  return {0, 0, plot, whole, x, y};
}

class Labeler {
 public:
  // `key`: of the layers.
  Labeler(const LabeledPlane& plane, const ZoomSize& size, std::string key,
          const MeasureText& measure)
      : p_(plane),
        size_(size),
        key_(std::move(key)),
        measure_(measure),
        keys_(plane.figure),
        first_(first_level(plane.figure)) {
    for (std::size_t i = 0; i < p_.lines.size(); ++i) naming_order_.push_back(i);
    std::stable_partition(naming_order_.begin(), naming_order_.end(),
                          [&](std::size_t i) { return holds_at(p_.lines[i].level, first_); });
  }

  std::vector<ZoomLabel> at_zoom(double zoom) && {
    const int tiles = std::max(1, static_cast<int>(zoom));
    for (int column = 0; column < tiles; ++column) {
      for (int row = 0; row < tiles; ++row) {
        std::vector<OrientedBox> taken;
        label_tile(make_tile(p_.figure, size_.plot, zoom, column, row), taken);
      }
    }
    std::ranges::stable_sort(labels_, {}, [](const ZoomLabel& l) {
      return std::tuple(l.link, std::lround(10 * l.lift), std::lround(1e4 * l.box.angle_rad));
    });
    return std::move(labels_);
  }

  std::vector<ZoomLabel> of_first_part() && {
    const Tile tile = first_tile(p_.figure, size_.plot);
    const PointColumns points = columns_of(p_.figure, [&](const PlanePoint& p) {
      return p.row < p_.max_rows && (p_.figure.levels.empty() || holds_at(p.level, first_));
    });
    std::vector<OrientedBox> taken;
    for (const NamedBox& beyond :
         place_beyond(count_beyond(points, tile.x, tile.y, tile.plot), tile.plot, measure_)) {
      taken.push_back(beyond.box);
    }
    label_tile(tile, taken);
    label_marks(tile, points, taken);
    return std::move(labels_);
  }

 private:
  // Maps a point of a tile to the drawing, whose plot has another size.
  Point from_tile(Point p, const Tile& tile) const {
    return {p_.plot.left + (p.x - tile.whole.left) * p_.plot.width() / tile.whole.width(),
            p_.plot.bottom - (tile.whole.bottom - p.y) * p_.plot.height() / tile.whole.height()};
  }

  OrientedBox from_tile(OrientedBox box, const Tile& tile) const {
    box.center = from_tile(box.center, tile);
    box.angle_rad = std::atan2(std::sin(box.angle_rad) * p_.plot.height() / tile.whole.height(),
                               std::cos(box.angle_rad) * p_.plot.width() / tile.whole.width());
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
    return std::ranges::none_of(p_.lines, [&](const PlaneLine& line) {
      if (line.kind != LineKind::boundary) return false;
      const Point a{tile.x.map(line.x0), tile.y.map(line.y0)};
      const Point b{tile.x.map(line.x1), tile.y.map(line.y1)};
      return side(corner, a, b) * side(home, a, b) <= 0;
    });
  }

  Layer with_key(Layer layer, const std::string& key) const {
    layer.when = LayerKeys::joined(key_, key);
    return layer;
  }

  // Adds the boxes of the labels to `taken`.
  void label_tile(const Tile& tile, std::vector<OrientedBox>& taken) {
    std::vector<PlaneRegion> regions = p_.figure.regions;
    for (PlaneRegion& region : regions) {
      if (keys_.never_chosen(region.level) || !holds_in(region, tile)) region.label.clear();
    }
    for (const RegionLabel& label : place_region_labels(regions, tile.plot, measure_)) {
      taken.push_back(label.box);
      const PlaneRegion& region = regions[label.region];
      labels_.push_back(
          {.link = {Link::To::region, static_cast<std::uint32_t>(label.region)},
           .text = region.label,
           .ink = surface_ink(&Surface::faint_text),
           .box = from_tile(label.box, tile),
           .layer = with_key({.x_moves = true, .y_moves = true}, keys_.lines(region.level))});
    }
    std::vector<std::optional<MemoryLevel>> tiers = {first_};
    for (const MemoryLevel level : p_.figure.levels) {
      if (level != first_) tiers.emplace_back(level);
    }
    for (const auto& tier : tiers) label_lines(tile, tier, taken);
  }

  // Maps a point beside the mark of a rate to the drawing, in which the left edge is that of the
  // whole plane (Layer::y_follows_x).
  Point beside_edge(Point at, Point mark, double rate, const Tile& tile) const {
    const LogScale y(p_.figure.y.min, p_.figure.y.max, p_.plot.bottom, p_.plot.top);
    return {
        p_.plot.left + (at.x - tile.plot.left) * p_.plot.width() / size_.plot.width(),
        y.map(rate * p_.figure.x.min) + (at.y - mark.y) * p_.plot.height() / tile.whole.height()};
  }

  // Names the marks with the most time, beside them.
  void label_marks(const Tile& tile, const PointColumns& points,
                   const std::vector<OrientedBox>& taken) {
    const std::vector<Mark> marks = layout_marks(points, tile.x, tile.y, tile.plot);
    std::vector<std::string> texts;
    std::vector<TextSize> sizes;
    for (const Mark& mark : marks) {
      if (mark.share < kLeastShareWithName) break;
      texts.push_back(mark_name(p_.figure, mark));
      sizes.push_back(measure_(texts.back()));
    }
    const std::string key = p_.figure.levels.empty() ? std::string() : LayerKeys::tier(first_);
    for (const MarkLabel& label : place_mark_labels(marks, sizes, tile.plot, taken, {})) {
      const Mark& mark = marks[label.mark];
      const PlanePoint& point = p_.figure.points[mark.point];
      // The end that is next to the mark keeps its distance while zooming.
      OrientedBox box = label.box;
      TextAnchor anchor = TextAnchor::middle;
      if (box.center.x - box.width / 2 > mark.center.x) anchor = TextAnchor::start;
      if (box.center.x + box.width / 2 < mark.center.x) anchor = TextAnchor::end;
      const double to_end = anchor == TextAnchor::start ? -0.5
                            : anchor == TextAnchor::end ? 0.5
                                                        : 0;
      const Point at{box.center.x + to_end * box.width, box.center.y};
      const Point end = is_rate(p_.figure, {point.x, point.y})
                            ? beside_edge(at, mark.center, point.y, tile)
                            : from_tile(at, tile);
      box.center = {end.x - to_end * box.width, end.y};
      labels_.push_back({.link = {Link::To::kernel, static_cast<std::uint32_t>(point.row)},
                         .text = texts[label.mark],
                         .ink = surface_ink(&Surface::text),
                         .box = box,
                         .anchor = anchor,
                         .layer = with_key(layer_at(p_.figure, {point.x, point.y}, {}), key)});
    }
  }

  void label_lines(const Tile& tile, const std::optional<MemoryLevel>& tier,
                   std::vector<OrientedBox>& taken) {
    const bool is_first = tier == first_;
    std::vector<PlaneLine> lines;
    std::vector<std::size_t> index;
    bool any = false;
    for (const std::size_t i : naming_order_) {
      PlaneLine line = p_.lines[i];
      const bool ceiling = line.kind == LineKind::ceiling;
      if (!ceiling && !holds_at(line.level, tier)) continue;
      // Ceilings and lines without a tier are labeled together with those of the first tier.
      const bool named =
          line.label_place != LabelPlace::margin &&
          (is_first ? ceiling || holds_at(line.level, tier) : !ceiling && line.level.has_value());
      line.label = !named                                     ? std::string()
                   : size_.short_names && !line.label.empty() ? line.name
                                                              : line.label;
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
      labels_.push_back(
          {.link = {Link::To::line, static_cast<std::uint32_t>(index[label.line])},
           .text = line.label,
           .ink = line_name_ink(line, line_ink(line), is_unused(line, p_.figure.used)),
           .box = from_tile(box, tile),
           .lift = lift,
           .layer = with_key({.x_moves = true, .y_moves = true},
                             ceiling ? std::string() : keys_.lines(line.level))});
    }
  }

  std::vector<OrientedBox> marks_in(const Tile& tile,
                                    const std::optional<MemoryLevel>& tier) const {
    std::vector<std::pair<double, OrientedBox>> found;
    const auto add = [&](PlanePosition p, double radius) {
      const Rect& edges = is_rate(p_.figure, p) ? tile.plot : tile.whole;
      const Point at = place(p, p_.figure, tile.x, tile.y, edges);
      if (tile.plot.contains(at)) found.push_back({-radius, {at, 2 * radius, 2 * radius, 0}});
    };
    for (const PlanePoint& p : p_.figure.points) {
      if (p.row >= p_.max_rows || (!p_.figure.levels.empty() && !holds_at(p.level, tier))) continue;
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

  const LabeledPlane& p_;
  const ZoomSize& size_;
  std::string key_;
  const MeasureText& measure_;
  LayerKeys keys_;
  std::optional<MemoryLevel> first_;
  std::vector<std::size_t> naming_order_;  // of lines: those of the first tier first
  std::vector<ZoomLabel> labels_;
};

}  // namespace

std::string LayerKeys::tier(const std::optional<MemoryLevel>& level) {
  return level ? std::string(info(*level).key) : std::string();
}

std::string LayerKeys::lines(const std::optional<MemoryLevel>& level) const {
  const bool chosen = level && std::ranges::find(figure_.levels, *level) != figure_.levels.end();
  return chosen ? tier(level) + "-lines" : std::string();
}

bool LayerKeys::never_chosen(const std::optional<MemoryLevel>& level) const {
  return level && !figure_.levels.empty() && lines(level).empty();
}

std::string LayerKeys::joined(const std::string& a, const std::string& b) {
  return b.empty() ? a : a + ' ' + b;
}

Layer layer_at(const PlaneFigure& figure, PlanePosition point, std::string when) {
  return {.x_moves = point.x > 0,
          .y_moves = point.y > 0,
          .y_follows_x = is_rate(figure, point),
          .when = std::move(when)};
}

std::vector<ZoomLabel> zoom_labels(const LabeledPlane& plane, const ZoomSize& size, double zoom,
                                   const MeasureText& measure) {
  return Labeler(plane, size, size.key + " !first", measure).at_zoom(zoom);
}

std::vector<ZoomLabel> first_labels(const LabeledPlane& plane, const ZoomSize& size,
                                    const MeasureText& measure) {
  return Labeler(plane, size, size.key + " first", measure).of_first_part();
}

}  // namespace mansard::figure
