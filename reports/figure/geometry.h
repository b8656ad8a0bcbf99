// SPDX-License-Identifier: Apache-2.0
// Plane geometry in pixels, with y pointing down.
#pragma once

#include <optional>
#include <vector>

namespace mansard::figure {

struct Point {
  double x = 0;
  double y = 0;
};

struct Rect {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool contains(Point p) const {
    return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
  }
};

struct Segment {
  Point a;
  Point b;
};

// A rectangle rotated about its center. A positive angle rotates from the x axis to the y axis,
// which is clockwise on a screen.
struct OrientedBox {
  Point center;
  double width = 0;
  double height = 0;
  double angle_rad = 0;
};

// The part of a segment inside a rectangle; nothing if they do not intersect or an end is not
// finite.
std::optional<Segment> clip(Segment segment, const Rect& rect);

// The part of a convex polygon inside a rectangle; may be empty. Painters are slow for shapes far
// outside.
std::vector<Point> clip_polygon(std::vector<Point> polygon, const Rect& rect);

// A segment with a thickness as a box.
OrientedBox as_box(const Segment& segment, double thickness);

// Whether two boxes overlap; touching edges do not count.
bool overlap(const OrientedBox& a, const OrientedBox& b);

// Whether a box is completely inside a rectangle.
bool inside(const OrientedBox& box, const Rect& rect);

}  // namespace mansard::figure
