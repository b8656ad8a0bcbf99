// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/drawing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mansard::figure {
namespace {

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  const double along =
      length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

double distance(Point p, const Rect& r) {
  return std::hypot(std::max({0.0, r.left - p.x, p.x - r.right}),
                    std::max({0.0, r.top - p.y, p.y - r.bottom}));
}

Rect rect_of(std::span<const float> n) { return {n[0], n[1], n[2], n[3]}; }

double text_distance(Point p, std::span<const float> n) {
  const double c = std::cos(n[3]);
  const double s = std::sin(n[3]);
  // Rotate into the axes of the text.
  const Point q{c * (p.x - n[0]) + s * (p.y - n[1]), c * (p.y - n[1]) - s * (p.x - n[0])};
  const double left = -n[2] * static_cast<double>(n[4]);
  return distance(q, Rect{left, -n[5] / 2.0, left + n[4], n[5] / 2.0});
}

double distance(Point p, const Shape& shape, std::span<const float> n) {
  double least = INFINITY;
  switch (shape.kind) {
    case ShapeKind::rect:
      return distance(p, rect_of(n));
    case ShapeKind::mark:
      return std::max(0.0, std::hypot(p.x - n[0], p.y - n[1]) - n[2]);
    case ShapeKind::text:
      return text_distance(p, n);
    case ShapeKind::segments:
      for (std::size_t i = 0; i + 3 < n.size(); i += 4) {
        least = std::min(least, distance(p, {n[i], n[i + 1]}, {n[i + 2], n[i + 3]}));
      }
      return least;
    case ShapeKind::polyline:
    case ShapeKind::polygon:
      for (std::size_t i = 0; i + 3 < n.size(); i += 2) {
        least = std::min(least, distance(p, {n[i], n[i + 1]}, {n[i + 2], n[i + 3]}));
      }
      return least;
    default:
      return least;
  }
}

}  // namespace

void Drawing::clear(double width_px, double height_px) {
  width_ = width_px;
  height_ = height_px;
  styles_.clear();
  shapes_.clear();
  numbers_.clear();
  texts_.clear();
  rasters_.clear();
  titles_.clear();
  layers_.assign(1, Layer{});
  layer_ = 0;
  axes_.clear();
}

StyleId Drawing::style(const Style& style) {
  const auto id = static_cast<StyleId>(std::ranges::find(styles_, style) - styles_.begin());
  if (id == styles_.size()) styles_.push_back(style);
  return id;
}

void Drawing::set_layer(const Layer& layer) {
  layer_ = static_cast<LayerId>(std::ranges::find(layers_, layer) - layers_.begin());
  if (layer_ == layers_.size()) layers_.push_back(layer);
}

void Drawing::add(ShapeKind kind, StyleId style, Link link, std::initializer_list<double> numbers,
                  std::uint32_t item) {
  shapes_.push_back({kind, style, layer_, link, static_cast<std::uint32_t>(numbers_.size()),
                     static_cast<std::uint32_t>(numbers.size()), item});
  for (const double number : numbers) numbers_.push_back(static_cast<float>(number));
}

void Drawing::add_points(ShapeKind kind, std::span<const Point> points, StyleId style, Link link) {
  if (points.empty()) return;
  add(kind, style, link, {});
  shapes_.back().count = static_cast<std::uint32_t>(2 * points.size());
  for (const Point& p : points) {
    numbers_.push_back(static_cast<float>(p.x));
    numbers_.push_back(static_cast<float>(p.y));
  }
}

std::uint32_t Drawing::add_text(std::string_view text) {
  texts_.emplace_back(text);
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void Drawing::rect(const Rect& area, StyleId style, Link link) {
  add(ShapeKind::rect, style, link, {area.left, area.top, area.right, area.bottom});
}

void Drawing::line(Point a, Point b, StyleId style, Link link) {
  add(ShapeKind::segments, style, link, {a.x, a.y, b.x, b.y});
}

void Drawing::segments(std::span<const Segment> lines, StyleId style, Link link) {
  if (lines.empty()) return;
  std::vector<Point> ends;
  ends.reserve(2 * lines.size());
  for (const Segment& s : lines) ends.insert(ends.end(), {s.a, s.b});
  add_points(ShapeKind::segments, ends, style, link);
}

void Drawing::polyline(std::span<const Point> points, StyleId style, Link link) {
  add_points(ShapeKind::polyline, points, style, link);
}

void Drawing::polygon(std::span<const Point> points, StyleId style, Link link) {
  add_points(ShapeKind::polygon, points, style, link);
}

void Drawing::mark(MarkShape shape, Point center, double radius, StyleId style, Link link) {
  add(ShapeKind::mark, style, link, {center.x, center.y, radius},
      static_cast<std::uint32_t>(shape));
}

void Drawing::text(const PlacedText& placed, StyleId style, Link link) {
  text(placed.text, placed.box, placed.anchor, style, link);
}

void Drawing::text(std::string_view text, const Rect& box, TextAnchor anchor, StyleId style,
                   Link link) {
  const double side = anchor == TextAnchor::start ? 0 : anchor == TextAnchor::middle ? 0.5 : 1;
  add(ShapeKind::text, style, link,
      {box.left + side * box.width(), (box.top + box.bottom) / 2, side, 0, box.width(),
       box.height()},
      add_text(text));
}

void Drawing::text(const OrientedBox& box, std::string_view text, StyleId style, Link link,
                   double lift) {
  add(ShapeKind::text, style, link,
      {box.center.x, box.center.y, 0.5, box.angle_rad, box.width, box.height}, add_text(text));
  if (lift == 0) return;
  numbers_.push_back(static_cast<float>(lift));
  ++shapes_.back().count;
}

void Drawing::raster(const Rect& area, std::shared_ptr<const Raster> raster) {
  add(ShapeKind::raster, 0, {}, {area.left, area.top, area.right, area.bottom},
      static_cast<std::uint32_t>(rasters_.size()));
  rasters_.push_back(std::move(raster));
}

void Drawing::clip(const Rect& area) {
  add(ShapeKind::clip, 0, {}, {area.left, area.top, area.right, area.bottom});
}

void Drawing::unclip() { add(ShapeKind::unclip, 0, {}, {}); }

void Drawing::axis(ZoomAxis axis) {
  add(ShapeKind::axis, 0, {}, {}, static_cast<std::uint32_t>(axes_.size()));
  axes_.push_back(std::move(axis));
}

const std::string* Drawing::title(Link link) const {
  const auto found = titles_.find(link);
  return found == titles_.end() ? nullptr : &found->second;
}

std::optional<Link> link_at(const Drawing& drawing, Point point, double slack_px) {
  std::optional<Link> best;
  double best_px = slack_px;
  bool visible = true;
  for (const Shape& shape : drawing.shapes()) {
    const std::span<const float> numbers = drawing.numbers_of(shape);
    if (shape.kind == ShapeKind::clip) visible = rect_of(numbers).contains(point);
    if (shape.kind == ShapeKind::unclip) visible = true;
    if (!shape.link || !visible) continue;
    const double gap_px = distance(point, shape, numbers);
    if (gap_px > best_px) continue;
    best = shape.link;
    best_px = gap_px;
  }
  return best;
}

std::optional<Rect> area_of(const Drawing& drawing, Link link) {
  const auto& shapes = drawing.shapes();
  const auto shape =
      std::find_if(shapes.rbegin(), shapes.rend(), [&](const Shape& s) { return s.link == link; });
  if (shape == shapes.rend()) return std::nullopt;
  const std::span<const float> n = drawing.numbers_of(*shape);
  switch (shape->kind) {
    case ShapeKind::mark:
      return Rect{n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2]};
    case ShapeKind::text:  // ignores the rotation
      return Rect{n[0] - n[2] * n[4], n[1] - n[5] / 2, n[0] + (1 - n[2]) * n[4], n[1] + n[5] / 2};
    default:
      break;
  }
  Rect box{INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (std::size_t i = 0; i + 1 < n.size(); i += 2) {
    box = {std::min<double>(box.left, n[i]), std::min<double>(box.top, n[i + 1]),
           std::max<double>(box.right, n[i]), std::max<double>(box.bottom, n[i + 1])};
  }
  return box;
}

std::vector<Point> mark_outline(MarkShape shape) {
  constexpr double kPi = std::numbers::pi;
  // `first`: angle of the first corner, clockwise from the top.
  const auto polygon = [](int corners, double first) {
    const double step = 2 * kPi / corners;
    const double reach = std::sqrt(kPi / (0.5 * corners * std::sin(step)));
    std::vector<Point> points;
    for (int i = 0; i < corners; ++i) {
      const double angle = first + i * step;
      points.push_back({reach * std::sin(angle), -reach * std::cos(angle)});
    }
    return points;
  };
  switch (shape) {
    case MarkShape::circle:
      break;
    case MarkShape::square:
      return polygon(4, kPi / 4);
    case MarkShape::diamond:
      return polygon(4, 0);
    case MarkShape::triangle_up:
      return polygon(3, 0);
    case MarkShape::triangle_down:
      return polygon(3, kPi);
    case MarkShape::hexagon:
      return polygon(6, 0);
  }
  return {};
}

}  // namespace mansard::figure
