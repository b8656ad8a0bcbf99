// SPDX-License-Identifier: Apache-2.0
#include "gui/views/mark_shapes.h"

#include <QPainter>
#include <QPolygonF>
#include <cmath>
#include <numbers>

#include "gui/views/theme.h"

namespace mansard::gui {
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

QPainterPath mark_path(figure::MarkShape shape, QPointF centre, double radius) {
  constexpr double kPi = std::numbers::pi;
  switch (shape) {
    case figure::MarkShape::circle:
      break;
    case figure::MarkShape::square:
      return polygon(centre, radius, 4, kPi / 4);
    case figure::MarkShape::diamond:
      return polygon(centre, radius, 4, 0);
    case figure::MarkShape::triangle_up:
      return polygon(centre, radius, 3, 0);
    case figure::MarkShape::triangle_down:
      return polygon(centre, radius, 3, kPi);
    case figure::MarkShape::hexagon:
      return polygon(centre, radius, 6, 0);
  }
  QPainterPath path;
  path.addEllipse(centre, radius, radius);
  return path;
}

void draw_mark(QPainter& painter, figure::MarkStyle style, QPointF centre, double radius,
               const QColor& outline, MarkFill fill) {
  const QColor colour = to_qcolor(style.colour);
  QColor tint = colour;
  tint.setAlphaF(0.25F);
  switch (fill) {
    case MarkFill::solid:
      painter.setPen(QPen(outline, 1.2));
      painter.setBrush(colour);
      break;
    case MarkFill::tinted:
      painter.setPen(QPen(colour, 1.6));
      painter.setBrush(tint);
      break;
    case MarkFill::hollow:
      painter.setPen(QPen(colour, 1.2));
      painter.setBrush(Qt::NoBrush);
      break;
  }
  painter.drawPath(mark_path(style.shape, centre, radius));
}

void MarkSprites::draw(QPainter& painter, figure::MarkStyle style, QPointF centre, double radius,
                       MarkFill fill) {
  const int half_px = static_cast<int>(std::lround(2 * radius));
  QImage& sprite = sprites_[{to_qcolor(style.colour).rgb(), style.shape, fill, half_px}];
  if (sprite.isNull()) {
    // Corners of a triangle reach 1.56 times the radius.
    const int reach_px = half_px * 4 / 5 + 2;
    sprite = QImage(2 * reach_px + 1, 2 * reach_px + 1, QImage::Format_ARGB32_Premultiplied);
    sprite.fill(Qt::transparent);
    QPainter on_sprite(&sprite);
    on_sprite.setRenderHint(QPainter::Antialiasing);
    const double middle = reach_px + 0.5;
    draw_mark(on_sprite, style, {middle, middle}, half_px / 2.0, outline_, fill);
  }
  painter.drawImage(QPoint(static_cast<int>(std::floor(centre.x())) - sprite.width() / 2,
                           static_cast<int>(std::floor(centre.y())) - sprite.height() / 2),
                    sprite);
}

}  // namespace mansard::gui
