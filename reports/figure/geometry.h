// SPDX-License-Identifier: Apache-2.0
// Plane geometry in pixels, y growing downwards, for whatever draws a figure.
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

// A rectangle turned about its center. A positive angle turns the x axis towards the y axis, which
// is clockwise on a screen.
struct OrientedBox {
  Point center;
  double width = 0;
  double height = 0;
  double angle_rad = 0;
};

// The part of a segment inside a rectangle; nothing when they do not meet or an end is not finite.
std::optional<Segment> clip(Segment segment, const Rect& rect);

// The part of a convex polygon inside a rectangle; empty where there is none. Painters take long
// for what is far outside.
std::vector<Point> clip_polygon(std::vector<Point> polygon, const Rect& rect);

// A segment as a box of the given thickness.
OrientedBox as_box(const Segment& segment, double thickness);

// Whether two boxes share area; touching edges do not count.
bool overlap(const OrientedBox& a, const OrientedBox& b);

// Whether a box lies wholly inside a rectangle.
bool inside(const OrientedBox& box, const Rect& rect);

}  // namespace mansard::figure
