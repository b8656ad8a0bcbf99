// SPDX-License-Identifier: Apache-2.0
#include "gui/views/axes_painter.h"

#include <QPainter>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "reports/figure/ticks.h"

namespace mansard::gui {
namespace {

constexpr double kTick_px = 5;

// Of labels beside each other, and of labels above each other.
double label_gap_x(const QFontMetricsF& metrics) {
  return metrics.horizontalAdvance(QStringLiteral("88.88 M")) + 8;
}
double label_gap_y(const QFontMetricsF& metrics) { return 1.8 * metrics.height(); }

// Half pixels make lines of one pixel sharp.
double crisp(double pixel) { return std::floor(pixel) + 0.5; }

QString axis_title(const figure::PlaneAxis& axis, const std::optional<MemoryLevel>& level) {
  QString title = to_qstring(axis.label);
  if (axis.of_level && level) title += QStringLiteral(" at ") + to_qstring(info(*level).label);
  return title + QStringLiteral(" (%1)").arg(to_qstring(axis.unit));
}

}  // namespace

void paint_grid(QPainter& painter, const PlaneScene& scene, const figure::Surface& colours) {
  const QFontMetricsF metrics(painter.font());
  const figure::Rect& plot = scene.plot();
  const auto lines = [&](const std::vector<figure::Tick>& list, bool decades, bool vertical) {
    painter.setPen(QPen(to_qcolor(decades ? colours.grid : colours.grid_minor), 1));
    for (const figure::Tick& t : list) {
      if (t.decade != decades) continue;
      const double p = crisp(t.pixel);
      if (vertical) {
        painter.drawLine(QPointF(p, plot.top), QPointF(p, plot.bottom));
      } else {
        painter.drawLine(QPointF(plot.left, p), QPointF(plot.right, p));
      }
    }
  };
  const auto x = figure::ticks(scene.x(), scene.figure().x.ticks, label_gap_x(metrics));
  const auto y = figure::ticks(scene.y(), scene.figure().y.ticks, label_gap_y(metrics));
  for (const bool decades : {false, true}) {
    lines(x, decades, true);
    lines(y, decades, false);
  }
}

void paint_axes(QPainter& painter, const PlaneScene& scene, const figure::Surface& colours) {
  const QFontMetricsF metrics(painter.font());
  const figure::Rect& plot = scene.plot();
  const double line_px = metrics.height();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(to_qcolor(colours.axis), 1));
  painter.drawLine(QPointF(crisp(plot.left), plot.top), QPointF(crisp(plot.left), plot.bottom));
  painter.drawLine(QPointF(plot.left, crisp(plot.bottom)), QPointF(plot.right, crisp(plot.bottom)));

  const QColor text = to_qcolor(colours.text);
  for (const figure::Tick& t :
       figure::ticks(scene.x(), scene.figure().x.ticks, label_gap_x(metrics))) {
    if (t.label.empty()) continue;
    painter.setPen(to_qcolor(colours.axis));
    painter.drawLine(QPointF(crisp(t.pixel), plot.bottom),
                     QPointF(crisp(t.pixel), plot.bottom + kTick_px));
    painter.setPen(text);
    painter.drawText(QRectF(t.pixel - 60, plot.bottom + kTick_px + 1, 120, line_px),
                     Qt::AlignHCenter | Qt::AlignTop, to_qstring(t.label));
  }
  for (const figure::Tick& t :
       figure::ticks(scene.y(), scene.figure().y.ticks, label_gap_y(metrics))) {
    if (t.label.empty()) continue;
    painter.setPen(to_qcolor(colours.axis));
    painter.drawLine(QPointF(plot.left - kTick_px, crisp(t.pixel)),
                     QPointF(plot.left, crisp(t.pixel)));
    painter.setPen(text);
    painter.drawText(QRectF(0, t.pixel - line_px / 2, plot.left - kTick_px - 3, line_px),
                     Qt::AlignRight | Qt::AlignVCenter, to_qstring(t.label));
  }

  painter.setPen(to_qcolor(colours.faint_text));
  painter.drawText(QRectF(plot.left, plot.bottom + kTick_px + 1.3 * line_px, plot.width(), line_px),
                   Qt::AlignCenter, axis_title(scene.figure().x, scene.level()));
  painter.save();
  painter.translate(0.9 * line_px, (plot.top + plot.bottom) / 2);
  painter.rotate(-90);
  painter.drawText(QRectF(-plot.height() / 2, -line_px / 2, plot.height(), line_px),
                   Qt::AlignCenter, axis_title(scene.figure().y, scene.level()));
  painter.restore();
}

}  // namespace mansard::gui
