// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_legend_painter.h"

#include <QLinearGradient>
#include <QLocale>
#include <QPainter>

#include "gui/views/mark_shapes.h"
#include "gui/views/painting.h"
#include "gui/views/plane_density.h"
#include "gui/views/plane_marks_painter.h"
#include "gui/views/theme.h"

namespace mansard::gui {

void paint_plane_legend(QPainter& painter, const PlaneScene& scene, figure::Theme theme) {
  const figure::Surface& colours = surface(theme);
  for (const ClassKey& key : scene.legend()) {
    const figure::MarkStyle style = figure::mark_style(key.operation_class, theme);
    const QRectF area = to_qrect(key.area);
    painter.setPen(Qt::NoPen);
    painter.setBrush(to_qcolor(style.colour));
    painter.drawPath(mark_path(style.shape, QPointF(area.left() + 8, area.center().y()), 5.5));
    painter.setPen(to_qcolor(colours.text));
    painter.drawText(area.adjusted(20, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     to_qstring(key.operation_class));
  }
  if (!scene.baseline_key()) return;
  const figure::PlacedText& key = *scene.baseline_key();
  const QRectF area = to_qrect(key.box);
  const double middle = area.center().y();
  const figure::Rgb neutral = colours.faint_text;
  constexpr double kRadius_px = 5;
  const QPointF theirs(area.left() + 8, middle);
  const QPointF ours(area.left() + 48, middle);
  draw_mark(painter, {neutral, figure::MarkShape::circle}, theirs, kRadius_px, {},
            MarkFill::hollow);
  draw_mark(painter, {neutral, figure::MarkShape::circle}, ours, kRadius_px,
            to_qcolor(colours.background));
  if (const auto arrow =
          figure::place_arrow({theirs.x(), middle}, kRadius_px, {ours.x(), middle}, kRadius_px)) {
    draw_arrow(painter, *arrow, to_qcolor(neutral));
  }
  painter.setPen(to_qcolor(colours.text));
  painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, to_qstring(key.text));
}

void paint_density_key(QPainter& painter, const PlaneScene& scene, figure::Theme theme,
                       std::uint32_t highest) {
  if (highest == 0) return;
  const QFontMetricsF metrics(painter.font());
  const double line_px = metrics.height();
  const QString few = QStringLiteral("1");
  const QString many = QLocale::c().toString(highest);
  const QString unit = QObject::tr("launches a pixel");
  const double gap = metrics.horizontalAdvance(QLatin1Char(' ')) * 1.5;
  const double bar_px = highest > 1 ? 90 : line_px;
  double width =
      bar_px + gap + metrics.horizontalAdvance(few) + gap + metrics.horizontalAdvance(unit);
  if (highest > 1) width += gap + metrics.horizontalAdvance(many);
  // In the line of the axis' title, which is in the middle of it.
  const double title_px = metrics.averageCharWidth() * 44;
  const figure::Rect& plot = scene.plot();
  if (width > (plot.width() - title_px) / 2) return;
  double x = plot.right - width;
  const double top = plot.bottom + 6 + 1.3 * line_px;
  painter.setPen(to_qcolor(surface(theme).faint_text));
  const auto write = [&](const QString& text) {
    const double advance = metrics.horizontalAdvance(text);
    painter.drawText(QRectF(x, top, advance + 1, line_px), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += advance + gap;
  };
  write(few);
  const QRectF bar(x, top + 0.2 * line_px, bar_px, 0.6 * line_px);
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  for (const double at : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    gradient.setColorAt(at, to_qcolor(figure::density_colour(highest > 1 ? at : 0, theme)));
  }
  painter.fillRect(bar, gradient);
  x += bar_px + gap;
  if (highest > 1) write(many);
  write(unit);
}

}  // namespace mansard::gui
