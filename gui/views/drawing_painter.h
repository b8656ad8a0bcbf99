// SPDX-License-Identifier: Apache-2.0
// Draws a figure's display list with QPainter.
#pragma once

#include <QFont>
#include <QPainterPath>

#include "reports/figure/drawing.h"

class QPainter;

namespace mansard::gui {

// Measures texts as paint() draws them in this font.
figure::MeasureText measure_in(const QFont& font);

// Draws at the painter's origin, in the painter's font, which must be the font that the drawing
// was laid out for. The background is the caller's.
void paint(QPainter& painter, const figure::Drawing& drawing, figure::Theme theme);

QPainterPath mark_path(figure::MarkShape shape, QPointF center, double radius);

}  // namespace mansard::gui
