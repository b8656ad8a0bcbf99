// SPDX-License-Identifier: Apache-2.0
#include "gui/views/interval_chart.h"

#include <QPainter>
#include <algorithm>

#include "gui/views/drawing_painter.h"
#include "gui/views/theme.h"
#include "reports/figure/line_chart.h"

namespace mansard::gui {

void IntervalChart::set_marks(std::vector<Mark> marks) {
  marks_ = std::move(marks);
  update();
}

void IntervalChart::paint_all(QPainter& painter, double width_px) const {
  if (!has_chart()) return;
  paint_figure(painter, width_px);
  paint_marks(painter, width_px);
}

void IntervalChart::paintEvent(QPaintEvent* event) {
  ChartView::paintEvent(event);
  QPainter painter(this);
  painter.setFont(font());
  paint_marks(painter, width());
}

void IntervalChart::paint_marks(QPainter& painter, double width_px) const {
  if (!has_chart() || data().bars.size() < 2) return;
  const figure::Rect plot = figure::layout_line_chart(data(), width_px, measure_in(font())).plot;
  const double first = data().bars.front().x;
  const double last = data().bars.back().x;
  const figure::Surface& colors = figure::surface(theme_of(palette()));
  const double line = painter.fontMetrics().height();
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const double share = (marks_[i].at - first) / (last - first);
    if (!(share >= 0 && share <= 1)) continue;  // outside of the plot
    const double x = plot.left + share * plot.width();
    painter.setPen(QPen(to_qcolor(i == 0 ? colors.accent : colors.gain), 1.5));
    painter.drawLine(QPointF(x, plot.top), QPointF(x, plot.bottom));
    // Labels lie below each other, on the side with more room.
    const double y = plot.bottom - line * static_cast<double>(i + 1) - 4;
    const bool right = share < 0.6;
    const QRectF box(right ? x + 5 : plot.left, y, right ? plot.right - x - 5 : x - 5 - plot.left,
                     line);
    painter.drawText(box, Qt::AlignVCenter | (right ? Qt::AlignLeft : Qt::AlignRight),
                     marks_[i].label);
  }
}

}  // namespace mansard::gui
