// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_frame_painter.h"

#include <QFontMetricsF>
#include <QObject>
#include <QPainter>
#include <cmath>

#include "gui/views/painting.h"
#include "reports/figure/time_ticks.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

constexpr double kTickGap_px = 96;
constexpr double kTick_px = 4;
constexpr double kLabelGap_px = 8;  // between labels and rows

figure::TimeAxis axis_of(const TimelineScene& scene) {
  const std::int64_t zero_ns = scene.run() ? scene.run()->timeline.zero_ns : 0;
  return figure::time_axis(scene.scale(), zero_ns, kTickGap_px);
}

QString fitted(const QFontMetricsF& metrics, const std::string& text, double width_px) {
  const QString whole = to_qstring(one_line(text));
  if (metrics.horizontalAdvance(whole) <= width_px) return whole;
  return metrics.elidedText(whole, Qt::ElideMiddle, width_px);
}

void paint_heading(QPainter& painter, const SeenRow& row, const TimelineLook& look) {
  const QRectF box = to_qrect(row.box);
  painter.fillRect(box, look.ground);
  // Points down while its rows are below.
  const QPointF centre(box.left() + 11, box.center().y());
  constexpr double r = 4;
  QPolygonF arrow;
  if (row.closed) {
    arrow << centre + QPointF(-r / 2, -r) << centre + QPointF(r, 0) << centre + QPointF(-r / 2, r);
  } else {
    arrow << centre + QPointF(-r, -r / 2) << centre + QPointF(r, -r / 2) << centre + QPointF(0, r);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(look.faint_text);
  painter.drawPolygon(arrow);
  painter.setPen(look.text);
  painter.drawText(box.adjusted(22, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   to_qstring(one_line(row.label)));
}

QString range_text(const figure::LineTrack& line) {
  const figure::ValueRange range = line.range(0, line.size());
  const QString low = to_qstring(format_si(range.low, line.unit()));
  const QString high = to_qstring(format_si(range.high, line.unit()));
  return low == high ? low : QObject::tr("%1 to %2").arg(low, high);
}

}  // namespace

void paint_time_grid(QPainter& painter, const TimelineScene& scene, const TimelineLook& look) {
  const figure::Rect& plot = scene.plot();
  for (const figure::TimeTick& tick : axis_of(scene).ticks) {
    if (tick.label.empty()) continue;
    painter.fillRect(QRectF(std::round(tick.pixel), plot.top, 1, plot.height()), look.grid);
  }
}

void paint_time_axis(QPainter& painter, const TimelineScene& scene, const TimelineLook& look) {
  const QFontMetricsF metrics(painter.font());
  const figure::Rect& plot = scene.plot();
  const figure::TimeAxis axis = axis_of(scene);
  const double top = plot.top - kTick_px - metrics.height() - 1;
  painter.fillRect(QRectF(scene.area().left, plot.top - 1, scene.area().width(), 1), look.grid);
  painter.setPen(look.faint_text);
  if (!axis.base.empty()) {
    painter.drawText(QRectF(scene.area().left, top, plot.left - kLabelGap_px - scene.area().left,
                            metrics.height()),
                     Qt::AlignRight | Qt::AlignTop, to_qstring(axis.base) + QStringLiteral(" +"));
  }
  for (const figure::TimeTick& tick : axis.ticks) {
    const double x = std::round(tick.pixel);
    const double length_px = tick.label.empty() ? kTick_px / 2 : kTick_px;
    painter.fillRect(QRectF(x, plot.top - length_px, 1, length_px), look.faint_text);
    if (tick.label.empty()) continue;
    const QString label = to_qstring(tick.label);
    const double half_px = metrics.horizontalAdvance(label) / 2;
    if (x - half_px < plot.left - kLabelGap_px || x + half_px > plot.right) continue;
    painter.drawText(QPointF(x - half_px, top + metrics.ascent()), label);
  }
}

void paint_row_labels(QPainter& painter, const TimelineScene& scene, const TimelineLook& look) {
  const QFontMetricsF metrics(painter.font());
  const figure::Rect& area = scene.area();
  const double right = scene.plot().left - kLabelGap_px;
  painter.save();
  painter.setClipRect(QRectF(area.left, scene.plot().top, area.width(), scene.plot().height()),
                      Qt::IntersectClip);
  for (const SeenRow& row : scene.rows()) {
    if (row.kind == figure::GroupedRow::Kind::heading) {
      paint_heading(painter, row, look);
      continue;
    }
    if (row.label.empty()) continue;
    const bool line = row.kind == figure::GroupedRow::Kind::line;
    const QRectF box(area.left, row.box.top, right - area.left, row.box.height());
    const QRectF label = line ? box.adjusted(0, 0, 0, -box.height() / 2) : box;
    painter.setPen(look.text);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     fitted(metrics, row.label, box.width() - kLabelGap_px));
    if (!line) continue;
    painter.setPen(look.faint_text);
    painter.drawText(
        box.adjusted(0, box.height() / 2, 0, 0),
        Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
        fitted(metrics, range_text(scene.run()->timeline.lines[row.index]).toStdString(),
               box.width() - kLabelGap_px));
  }
  painter.restore();
}

}  // namespace mansard::gui
