// SPDX-License-Identifier: Apache-2.0
#include "gui/views/rank_bars.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <algorithm>

#include "gui/views/chart_view.h"
#include "gui/views/wheel.h"

namespace mansard::gui {
namespace {

constexpr int kMostBars = 60;  // that a chart draws
constexpr int kBarsPerNotch = 3;

analysis::Table slice(const analysis::Table& table, int first, int count) {
  analysis::Table shown{table.id, table.title, table.columns, {}, table.chart};
  const auto from = table.rows.begin() + first;
  shown.rows.assign(from, from + count);
  return shown;
}

}  // namespace

RankBars::RankBars(QWidget* parent)
    : QWidget(parent), chart_(new ChartView(this)), scroll_(new QScrollBar(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  line->addWidget(chart_, 1, Qt::AlignTop);
  line->addWidget(scroll_);
  setMinimumSize(240, 80);
  connect(scroll_, &QScrollBar::valueChanged, this, &RankBars::show_slice);
  connect(chart_, &ChartView::row_clicked, this, [this](std::size_t row) {
    const std::size_t at = static_cast<std::size_t>(scroll_->value()) + row;
    if (at < table_.rows.size()) {
      Q_EMIT rank_clicked(static_cast<int>(std::get<std::int64_t>(table_.rows[at].front())));
    }
  });
}

void RankBars::set_job(std::shared_ptr<const OpenJob> job) {
  job_ = std::move(job);
  fill_table();
}

void RankBars::set_order(analysis::RankOrder order) {
  if (order == order_) return;
  order_ = order;
  fill_table();
}

void RankBars::scroll_to_top() { scroll_->setValue(0); }

void RankBars::fill_table() {
  table_ = job_ ? analysis::rank_parts_table(job_->ranks, order_) : analysis::Table();
  scroll_->setValue(0);
  fit();
}

void RankBars::fit() {
  const int bars = static_cast<int>(table_.rows.size());
  page_ = std::min(bars, 1);
  if (bars > 1 && table_.chart) {
    const int width = std::max(1, this->width() - scroll_->sizeHint().width());
    ChartView measured;
    measured.setFont(font());
    // The most bars that fit: `page_` do, `too_many` do not.
    int too_many = std::min(bars, kMostBars) + 1;
    while (too_many - page_ > 1) {
      const int tried = (page_ + too_many) / 2;
      measured.set_table(slice(table_, 0, tried));
      (measured.heightForWidth(width) <= height() ? page_ : too_many) = tried;
    }
  }
  scroll_->setPageStep(page_);
  scroll_->setRange(0, bars - page_);
  scroll_->setVisible(bars > page_);
  show_slice();
}

void RankBars::show_slice() {
  if (table_.rows.empty()) return chart_->clear();
  chart_->set_table(slice(table_, scroll_->value(), page_));
}

void RankBars::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void RankBars::wheelEvent(QWheelEvent* event) {
  scroll_->setValue(scroll_->value() -
                    static_cast<int>(kBarsPerNotch * wheel_notches(event->angleDelta().y())));
  event->accept();
}

}  // namespace mansard::gui
