// SPDX-License-Identifier: Apache-2.0
#include "gui/views/painting.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>
#include <cmath>
#include <numbers>

namespace mansard::gui {

QString without_mnemonic(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

namespace {

constexpr double kHalo_px = 3.5;

// Centers the label at the origin, not rotated.
void write_label(QPainter& painter, const QString& text, const QColor& color, const QColor& halo) {
  const QFontMetricsF metrics(painter.font());
  const QPointF baseline(-metrics.horizontalAdvance(text) / 2,
                         (metrics.ascent() - metrics.descent()) / 2);
  QPainterPath outline;
  outline.addText(baseline, painter.font(), text);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, kHalo_px, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(outline);
  // Drawn as text, not as a path: hinting keeps small letters crisp.
  painter.setPen(color);
  painter.drawText(baseline, text);
}

double degrees(double angle_rad) { return angle_rad * 180 / std::numbers::pi; }

// An image of the rotated label, centered. A halo costs a millisecond, and most labels are the same
// in each frame, so images are cached.
QPixmap label_picture(const QPainter& painter, const figure::OrientedBox& box, const QString& text,
                      const QColor& color, const QColor& halo) {
  const double ratio = painter.device()->devicePixelRatioF();
  const int turn = static_cast<int>(std::lround(degrees(box.angle_rad) * 20));
  const QString key = QStringLiteral("mansard label %1 %2 %3 %4 %5 %6")
                          .arg(text, painter.font().key(), color.name(), halo.name())
                          .arg(turn)
                          .arg(ratio);
  QPixmap picture;
  if (QPixmapCache::find(key, &picture)) return picture;
  const QFontMetricsF metrics(painter.font());
  const double width = metrics.horizontalAdvance(text) + 2 * kHalo_px;
  const double height = metrics.height() + 2 * kHalo_px;
  const double c = std::fabs(std::cos(box.angle_rad));
  const double s = std::fabs(std::sin(box.angle_rad));
  // Odd, so that there is a center pixel.
  const int across = static_cast<int>(std::ceil((c * width + s * height) / 2)) * 2 + 1;
  const int down = static_cast<int>(std::ceil((s * width + c * height) / 2)) * 2 + 1;
  picture = QPixmap(QSize(across, down) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter on_picture(&picture);
  on_picture.setRenderHints(painter.renderHints());
  on_picture.setFont(painter.font());
  on_picture.translate(across / 2.0, down / 2.0);
  on_picture.rotate(turn / 20.0);
  write_label(on_picture, text, color, halo);
  on_picture.end();
  QPixmapCache::insert(key, picture);
  return picture;
}

}  // namespace

void draw_label(QPainter& painter, const figure::OrientedBox& box, const QString& text,
                const QColor& color, const QColor& halo) {
  // Exported files keep labels as text, sharp at any scale.
  if (painter.paintEngine()->type() == QPaintEngine::Raster &&
      painter.worldTransform().type() <= QTransform::TxTranslate) {
    const QPixmap picture = label_picture(painter, box, text, color, halo);
    const QSizeF size = picture.deviceIndependentSize();
    painter.drawPixmap(QPointF(std::round(box.center.x - size.width() / 2),
                               std::round(box.center.y - size.height() / 2)),
                       picture);
    return;
  }
  painter.save();
  painter.translate(box.center.x, box.center.y);
  painter.rotate(degrees(box.angle_rad));
  write_label(painter, text, color, halo);
  painter.restore();
}

}  // namespace mansard::gui
