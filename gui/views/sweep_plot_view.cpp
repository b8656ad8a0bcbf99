// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sweep_plot_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>

#include "gui/views/chart_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr double kPoint_px = 3.5;
constexpr double kReach_px = 10;

void draw_text(QPainter& painter, const figure::PlacedText& placed, figure::Rgb colour) {
  painter.setPen(to_qcolor(colour));
  painter.drawText(to_qrect(placed.box), Qt::AlignCenter | Qt::TextDontClip,
                   to_qstring(placed.text));
}

void draw(QPainter& painter, const figure::SweepPlot& figure, figure::Theme theme) {
  const figure::Surface& colours = surface(theme);
  painter.setPen(QPen(to_qcolor(colours.grid), 1));
  for (const figure::Segment& line : figure.value_lines) {
    painter.drawLine(to_qpoint(line.a), to_qpoint(line.b));
  }
  for (const figure::Segment& tick : figure.size_ticks) {
    painter.drawLine(to_qpoint(tick.a), to_qpoint(tick.b));
  }
  for (const figure::PlacedText& name : figure.value_names) draw_text(painter, name, colours.text);
  for (const figure::PlacedText& name : figure.size_names) draw_text(painter, name, colours.text);
  draw_text(painter, figure.size_axis, colours.faint_text);
  draw_text(painter, figure.value_axis, colours.faint_text);
  for (const figure::SweepCurve& curve : figure.curves) {
    const QColor colour = to_qcolor(figure::tier_colour(curve.colour, theme));
    QPainterPath path(to_qpoint(curve.at.front()));
    for (const figure::Point& at : curve.at) path.lineTo(to_qpoint(at));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
    painter.drawLine(to_qpoint(curve.swatch.a), to_qpoint(curve.swatch.b));
    painter.setPen(QPen(to_qcolor(colours.background), 1));
    painter.setBrush(colour);
    for (const figure::Point& at : curve.at)
      painter.drawEllipse(to_qpoint(at), kPoint_px, kPoint_px);
    draw_text(painter, curve.name, colours.text);
  }
  for (const figure::SweepCapacity& capacity : figure.capacities) {
    painter.setPen(QPen(to_qcolor(colours.axis), 1, Qt::DashLine));
    painter.drawLine(to_qpoint(capacity.line.a), to_qpoint(capacity.line.b));
    const figure::Rect& box = capacity.name.box;
    draw_label(
        painter,
        {{(box.left + box.right) / 2, (box.top + box.bottom) / 2}, box.width(), box.height(), 0},
        to_qstring(capacity.name.text), to_qcolor(colours.faint_text),
        to_qcolor(colours.background));
  }
}

}  // namespace

SweepPlotView::SweepPlotView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Bandwidth or latency over the working set"));
}

void SweepPlotView::set_device(const roofline::DeviceModel* device, const std::string& unit) {
  device_ = roofline::DeviceModel();
  if (device) {
    device_.device = device->device;
    device_.sweep = device->sweep;
  }
  unit_ = unit;
  update();
}

void SweepPlotView::paint_figure(QPainter& painter, QSizeF size) const {
  painter.fillRect(QRectF({0, 0}, size),
                   to_qcolor(figure::surface(theme_of(palette())).background));
  const auto figure = figure_at(size);
  if (!figure) return;
  painter.save();
  painter.setFont(font());
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter, *figure, theme_of(palette()));
  painter.restore();
}

bool SweepPlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto plot = figure();
  double least = kReach_px;
  QString text;
  for (std::size_t c = 0; plot && c < plot->curves.size(); ++c) {
    const figure::SweepCurve& curve = plot->curves[c];
    for (std::size_t i = 0; i < curve.at.size(); ++i) {
      const double distance =
          std::hypot(curve.at[i].x - help->pos().x(), curve.at[i].y - help->pos().y());
      if (distance >= least) continue;
      least = distance;
      text = to_qstring(figure::sweep_tooltip(curve.points[i]));
    }
  }
  if (text.isEmpty()) {
    QToolTip::hideText();
    event->ignore();
  } else {
    QToolTip::showText(help->globalPos(), text, this);
  }
  return true;
}

void SweepPlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_figure(painter, size());
}

std::optional<figure::SweepPlot> SweepPlotView::figure_at(QSizeF size) const {
  return figure::layout_sweep(device_, unit_, size.width(), size.height(), measure_in(font()));
}

}  // namespace mansard::gui
