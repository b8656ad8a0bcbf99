// SPDX-License-Identifier: Apache-2.0
#include "gui/views/mark_shapes.h"

#include <QPolygonF>
#include <cmath>
#include <numbers>

namespace mansard {
namespace {

// A regular polygon of the circle's area, its first corner at `first_rad` clockwise from the top.
QPainterPath polygon(QPointF centre, double radius, int corners, double first_rad) {
  const double step = 2 * std::numbers::pi / corners;
  const double reach =
      radius * std::sqrt(2 * std::numbers::pi / (static_cast<double>(corners) * std::sin(step)));
  QPolygonF points;
  for (int i = 0; i < corners; ++i) {
    const double angle = first_rad + i * step;
    points << centre + QPointF(reach * std::sin(angle), -reach * std::cos(angle));
  }
  QPainterPath path;
  path.addPolygon(points);
  path.closeSubpath();
  return path;
}

}  // namespace

QPainterPath mark_path(MarkShape shape, QPointF centre, double radius) {
  constexpr double kPi = std::numbers::pi;
  switch (shape) {
    case MarkShape::circle:
      break;
    case MarkShape::square:
      return polygon(centre, radius, 4, kPi / 4);
    case MarkShape::diamond:
      return polygon(centre, radius, 4, 0);
    case MarkShape::triangle_up:
      return polygon(centre, radius, 3, 0);
    case MarkShape::triangle_down:
      return polygon(centre, radius, 3, kPi);
    case MarkShape::hexagon:
      return polygon(centre, radius, 6, 0);
  }
  QPainterPath path;
  path.addEllipse(centre, radius, radius);
  return path;
}

}  // namespace mansard
