// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QImage>
#include <QPainterPath>
#include <map>
#include <tuple>

#include "reports/figure/palette.h"

class QPainter;

namespace mansard::gui {

// All shapes of one radius have the area of the circle, so that shares compare across classes.
QPainterPath mark_path(figure::MarkShape shape, QPointF centre, double radius);

// `solid` has an outline that parts it from its neighbours; of the others the outline has the
// mark's colour, and a tint of it inside, or nothing.
enum class MarkFill { solid, tinted, hollow };

void draw_mark(QPainter& painter, figure::MarkStyle style, QPointF centre, double radius,
               const QColor& outline, MarkFill fill = MarkFill::solid);

// The same as pictures drawn once and copied to whole pixels: a twentieth of the cost, for figures
// of so many marks that nobody sees half a pixel.
class MarkSprites {
 public:
  explicit MarkSprites(const QColor& outline) : outline_(outline) {}
  void draw(QPainter& painter, figure::MarkStyle style, QPointF centre, double radius,
            MarkFill fill = MarkFill::solid);

 private:
  using Key = std::tuple<QRgb, figure::MarkShape, MarkFill, int>;
  QColor outline_;
  std::map<Key, QImage> sprites_;
};

}  // namespace mansard::gui
