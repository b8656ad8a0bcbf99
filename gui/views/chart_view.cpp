// SPDX-License-Identifier: Apache-2.0
#include "gui/views/chart_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "reports/figure/chart_drawing.h"
#include "reports/figure/chart_text.h"
#include "reports/figure/shown_chart.h"

namespace mansard::gui {
namespace {

constexpr int kUsualWidth_px = 640;

}  // namespace

ChartView::ChartView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ChartView::set_table(const analysis::Table& table) {
  data_ = figure::chart_to_show(table);
  caption_ = data_ ? to_qstring(figure::chart_caption(table, *data_)) : QString();
  marked_.reset();
  pointed_.reset();
  setAccessibleName(to_qstring(table.title));
  setAccessibleDescription(data_ ? to_qstring(figure::describe_chart(*data_)) : QString());
  setVisible(data_.has_value());
  forget_layout();
}

void ChartView::set_marked(std::optional<std::size_t> table_row) {
  if (table_row == marked_) return;
  marked_ = table_row;
  update();
}

const figure::Drawing& ChartView::drawing() const {
  // A scroll area queries the height in its event filter, before resizeEvent().
  if (!drawing_ || drawing_->width() != width()) drawing_ = draw(width());
  return *drawing_;
}

figure::Drawing ChartView::draw(double width_px, std::optional<std::size_t> marked_bar) const {
  return figure::draw_chart(data_.value(), width_px, measure_in(font()), marked_bar);
}

void ChartView::paint_figure(QPainter& painter, double width_px) const {
  if (!data_) return;
  painter.setFont(font());
  paint(painter, draw(width_px, bar_of(marked_)), theme_of(palette()));
}

int ChartView::heightForWidth(int width_px) const {
  if (!data_) return 0;
  const double height = width_px == width() ? drawing().height() : draw(width_px).height();
  return static_cast<int>(std::ceil(height));
}

QSize ChartView::sizeHint() const { return {kUsualWidth_px, heightForWidth(kUsualWidth_px)}; }

bool ChartView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = tooltip_at(help->pos());
  if (text.isEmpty()) {
    QToolTip::hideText();
    event->ignore();
  } else {
    QToolTip::showText(help->globalPos(), text, this);
  }
  return true;
}

void ChartView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), to_qcolor(figure::surface(theme_of(palette())).background));
  if (!data_) return;
  const auto marked = pointed_ ? pointed_ : bar_of(marked_);
  paint(painter, marked ? draw(width(), marked) : drawing(), theme_of(palette()));
}

void ChartView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) forget_layout();
  QWidget::changeEvent(event);
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
  if (data_) point_at(bar_at(event->position()));
}

void ChartView::mouseReleaseEvent(QMouseEvent* event) {
  if (!data_ || event->button() != Qt::LeftButton) return;
  const auto bar = bar_at(event->position());
  if (bar) Q_EMIT row_clicked(data_->bars[*bar].row);
}

void ChartView::keyPressEvent(QKeyEvent* event) {
  const std::size_t bars = data_ ? data_->bars.size() : 0;
  const std::optional<std::size_t> now = pointed_ ? pointed_ : bar_of(marked_);
  if (bars > 0 && event->key() == Qt::Key_Down) {
    point_at(now ? std::min(*now + 1, bars - 1) : 0);
  } else if (bars > 0 && event->key() == Qt::Key_Up) {
    point_at(now ? *now - std::min<std::size_t>(*now, 1) : bars - 1);
  } else if (now && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space)) {
    Q_EMIT row_clicked(data_->bars[*now].row);
  } else {
    if (event->key() == Qt::Key_Escape) point_at(std::nullopt);
    QWidget::keyPressEvent(event);
  }
}

void ChartView::leaveEvent(QEvent*) { point_at(std::nullopt); }

void ChartView::forget_layout() {
  drawing_.reset();
  updateGeometry();
  update();
}

void ChartView::point_at(std::optional<std::size_t> bar) {
  if (bar == pointed_) return;
  pointed_ = bar;
  update();
}

std::optional<std::size_t> ChartView::bar_of(std::optional<std::size_t> table_row) const {
  if (!table_row || !data_) return std::nullopt;
  const auto found = std::ranges::find(data_->bars, *table_row, &figure::ChartBar::row);
  if (found == data_->bars.end()) return std::nullopt;
  return static_cast<std::size_t>(found - data_->bars.begin());
}

std::optional<std::size_t> ChartView::bar_at(QPointF position) const {
  const std::optional<figure::Link> link = figure::link_at(drawing(), to_point(position));
  return link ? std::optional<std::size_t>(link->index) : std::nullopt;
}

QString ChartView::tooltip_at(QPointF position) const {
  if (!data_) return {};
  const std::optional<figure::Link> link = figure::link_at(drawing(), to_point(position));
  return link ? to_qstring(*drawing().title(*link)) : QString();
}

}  // namespace mansard::gui
