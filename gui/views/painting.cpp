// SPDX-License-Identifier: Apache-2.0
#include "gui/views/painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <numbers>

namespace mansard {

QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

void draw_label(QPainter& painter, const OrientedBox& box, const QString& text,
                const QColor& colour, const QColor& halo) {
  const QFontMetricsF metrics(painter.font());
  painter.save();
  painter.translate(box.centre.x, box.centre.y);
  painter.rotate(box.angle_rad * 180 / std::numbers::pi);
  const QPointF baseline(-metrics.horizontalAdvance(text) / 2,
                         (metrics.ascent() - metrics.descent()) / 2);
  QPainterPath outline;
  outline.addText(baseline, painter.font(), text);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, 3.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(outline);
  // Drawn as text, not as a path: hinting keeps small letters crisp.
  painter.setPen(colour);
  painter.drawText(baseline, text);
  painter.restore();
}

void draw_plate(QPainter& painter, const OrientedBox& box, const QString& text,
                const QColor& colour, const QColor& ground) {
  const QRectF area(box.centre.x - box.width / 2, box.centre.y - box.height / 2, box.width,
                    box.height);
  QColor veil = ground;
  veil.setAlphaF(0.85F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(veil);
  painter.drawRoundedRect(area.adjusted(-2, 0, 2, 0), 3, 3);
  painter.setPen(colour);
  painter.drawText(area, Qt::AlignCenter | Qt::TextDontClip, text);
}

}  // namespace mansard
