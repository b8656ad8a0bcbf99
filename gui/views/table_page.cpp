// SPDX-License-Identifier: Apache-2.0
#include "gui/views/table_page.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"

namespace mansard::gui {
namespace {

constexpr double kMaxForChart = 0.6;  // maximum share of the height
constexpr int kChartSlack_px = 12;

}  // namespace

QScrollArea* scrolled(QWidget* content, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidget(content);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  area->setBackgroundRole(QPalette::Base);
  return area;
}

TablePage::TablePage(QWidget* parent)
    : QSplitter(Qt::Vertical, parent),
      chart_(new ChartView),
      caption_(new QLabel),
      table_(new FindingTable) {
  caption_->setContentsMargins(12, 0, 12, 4);
  caption_->setWordWrap(true);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(chart_);
  layout->addWidget(caption_);
  layout->addStretch(1);
  content->setBackgroundRole(QPalette::Base);
  figure_ = scrolled(content, this);
  addWidget(figure_);
  addWidget(table_);
  setChildrenCollapsible(false);

  connect(this, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
  connect(chart_, &ChartView::row_clicked, this, [this](std::size_t row) {
    table_->set_current(row);
    chart_->set_marked(row);
    Q_EMIT row_chosen(row);
    Q_EMIT row_followed(row);
  });
  connect(table_, &FindingTable::row_chosen, this, [this](std::size_t row) {
    chart_->set_marked(row);
    Q_EMIT row_chosen(row);
  });
  connect(table_, &FindingTable::row_followed, this, &TablePage::row_followed);
}

void TablePage::set_table(const analysis::Table& table) {
  chart_->set_table(table);
  caption_->setText(chart_->caption());
  caption_->setVisible(!chart_->caption().isEmpty());
  figure_->setVisible(chart_->has_chart());
  table_->set_table(table);
  moved_ = false;
  share_height();
}

void TablePage::resizeEvent(QResizeEvent* event) {
  QSplitter::resizeEvent(event);
  share_height();
}

// Gives the chart the height it needs and the table the rest.
void TablePage::share_height() {
  if (moved_ || !chart_->has_chart()) return;
  const int caption = caption_->text().isEmpty() ? 0 : caption_->heightForWidth(width());
  const int wanted = chart_->heightForWidth(width()) + caption + handleWidth() + kChartSlack_px;
  const int chart = std::min(wanted, static_cast<int>(kMaxForChart * height()));
  setSizes({chart, height() - chart});
}

}  // namespace mansard::gui
