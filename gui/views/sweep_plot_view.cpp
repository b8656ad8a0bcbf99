// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sweep_plot_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr double kPointReach_px = 7;  // hit distance from the edge of a point

}  // namespace

SweepPlotView::SweepPlotView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Bandwidth or latency by size of the working set or message"));
}

void SweepPlotView::set_device(const roofline::DeviceModel* device, const std::string& unit,
                               roofline::SweepAxis axis) {
  device_ = roofline::DeviceModel();
  if (device) {
    device_.device = device->device;
    device_.sweep = device->sweep;
  }
  unit_ = unit;
  axis_ = axis;
  update();
}

void SweepPlotView::paint_figure(QPainter& painter, QSizeF size) const {
  painter.fillRect(QRectF({0, 0}, size),
                   to_qcolor(figure::surface(theme_of(palette())).background));
  const auto drawing = draw(size);
  if (!drawing) return;
  painter.save();
  painter.setFont(font());
  paint(painter, *drawing, theme_of(palette()));
  painter.restore();
}

bool SweepPlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto shown = drawing();
  const auto link =
      shown ? figure::link_at(*shown, to_point(help->pos()), kPointReach_px) : std::nullopt;
  const QString text = link ? to_qstring(*shown->title(*link)) : QString();
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

std::optional<figure::Drawing> SweepPlotView::draw(QSizeF size) const {
  const auto plot =
      figure::layout_sweep(device_, unit_, axis_, size.width(), size.height(), measure_in(font()));
  if (!plot) return std::nullopt;
  return figure::draw(*plot);
}

}  // namespace mansard::gui
