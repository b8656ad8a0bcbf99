// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QImage>
#include <QPainterPath>
#include <map>
#include <tuple>

#include "reports/figure/palette.h"

class QPainter;

namespace mansard {

// All shapes of one radius have the area of the circle, so that shares compare across classes.
QPainterPath mark_path(MarkShape shape, QPointF centre, double radius);

void draw_mark(QPainter& painter, MarkStyle style, QPointF centre, double radius,
               const QColor& outline);

// The same as pictures drawn once and copied to whole pixels: a twentieth of the cost, for figures
// of so many marks that nobody sees half a pixel.
class MarkSprites {
 public:
  explicit MarkSprites(const QColor& outline) : outline_(outline) {}
  void draw(QPainter& painter, MarkStyle style, QPointF centre, double radius);

 private:
  using Key = std::tuple<QRgb, MarkShape, int>;
  QColor outline_;
  std::map<Key, QImage> sprites_;
};

}  // namespace mansard
