// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/geometry.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mansard::figure {
namespace {

std::array<Point, 4> corners(const OrientedBox& box) {
  const double c = std::cos(box.angle_rad);
  const double s = std::sin(box.angle_rad);
  const double w = box.width / 2;
  const double h = box.height / 2;
  std::array<Point, 4> out = {Point{-w, -h}, Point{w, -h}, Point{w, h}, Point{-w, h}};
  for (Point& p : out) {
    p = {box.center.x + c * p.x - s * p.y, box.center.y + s * p.x + c * p.y};
  }
  return out;
}

// Whether the projections onto the given axis are disjoint.
bool separated(const std::array<Point, 4>& a, const std::array<Point, 4>& b, double angle_rad) {
  const double c = std::cos(angle_rad);
  const double s = std::sin(angle_rad);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double a_low = kInfinity, a_high = -kInfinity, b_low = kInfinity, b_high = -kInfinity;
  for (int i = 0; i < 4; ++i) {
    const double pa = c * a[i].x + s * a[i].y;
    const double pb = c * b[i].x + s * b[i].y;
    a_low = std::fmin(a_low, pa);
    a_high = std::fmax(a_high, pa);
    b_low = std::fmin(b_low, pb);
    b_high = std::fmax(b_high, pb);
  }
  // Rounding of the rotations must not turn touching into overlapping.
  constexpr double kTouch_px = 1e-9;
  return a_high <= b_low + kTouch_px || b_high <= a_low + kTouch_px;
}

}  // namespace

std::optional<Segment> clip(Segment segment, const Rect& rect) {
  const double dx = segment.b.x - segment.a.x;
  const double dy = segment.b.y - segment.a.y;
  if (!std::isfinite(dx) || !std::isfinite(dy)) return std::nullopt;
  // Each side limits the parameter t of a + t * (b - a); what remains of [0, 1] is inside.
  double t_low = 0;
  double t_high = 1;
  const auto keep = [&](double speed, double distance) {
    if (speed == 0) return distance >= 0;
    const double t = distance / speed;
    if (speed > 0) {
      t_high = std::fmin(t_high, t);
    } else {
      t_low = std::fmax(t_low, t);
    }
    return t_low <= t_high;
  };
  if (!keep(dx, rect.right - segment.a.x) || !keep(-dx, segment.a.x - rect.left) ||
      !keep(dy, rect.bottom - segment.a.y) || !keep(-dy, segment.a.y - rect.top)) {
    return std::nullopt;
  }
  const Point a = segment.a;
  return Segment{{a.x + t_low * dx, a.y + t_low * dy}, {a.x + t_high * dx, a.y + t_high * dy}};
}

std::vector<Point> clip_polygon(std::vector<Point> polygon, const Rect& rect) {
  // Clips the polygon at one side of the rectangle after the other.
  const auto keep = [&](double edge, double Point::*along, double Point::*across, double sign) {
    std::vector<Point> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point& a = polygon[i];
      const Point& b = polygon[(i + 1) % polygon.size()];
      const double in_a = sign * (a.*along - edge);
      const double in_b = sign * (b.*along - edge);
      if (in_a >= 0) kept.push_back(a);
      if ((in_a >= 0) == (in_b >= 0)) continue;
      Point at;
      at.*along = edge;
      at.*across = a.*across + (b.*across - a.*across) * (in_a / (in_a - in_b));
      kept.push_back(at);
    }
    polygon = std::move(kept);
  };
  keep(rect.left, &Point::x, &Point::y, 1);
  keep(rect.right, &Point::x, &Point::y, -1);
  keep(rect.top, &Point::y, &Point::x, 1);
  keep(rect.bottom, &Point::y, &Point::x, -1);
  return polygon;
}

OrientedBox as_box(const Segment& segment, double thickness) {
  const double dx = segment.b.x - segment.a.x;
  const double dy = segment.b.y - segment.a.y;
  return {{(segment.a.x + segment.b.x) / 2, (segment.a.y + segment.b.y) / 2},
          std::hypot(dx, dy),
          thickness,
          std::atan2(dy, dx)};
}

bool overlap(const OrientedBox& a, const OrientedBox& b) {
  // Fast path for distant boxes: their circumscribed circles do not intersect. |w| + |h| exceeds
  // the diagonal.
  const double reach = (a.width + a.height + b.width + b.height) / 2;
  if (std::fabs(a.center.x - b.center.x) > reach || std::fabs(a.center.y - b.center.y) > reach) {
    return false;
  }
  // Two convex shapes are disjoint if and only if an edge normal separates them.
  constexpr double kQuarterTurn_rad = 1.5707963267948966;
  const std::array<Point, 4> ca = corners(a);
  const std::array<Point, 4> cb = corners(b);
  for (const double angle_rad : {a.angle_rad, b.angle_rad}) {
    if (separated(ca, cb, angle_rad) || separated(ca, cb, angle_rad + kQuarterTurn_rad)) {
      return false;
    }
  }
  return true;
}

bool inside(const OrientedBox& box, const Rect& rect) {
  for (const Point& p : corners(box)) {
    if (!rect.contains(p)) return false;
  }
  return true;
}

}  // namespace mansard::figure
