// SPDX-License-Identifier: Apache-2.0
#include "gui/views/job_tables.h"

#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"

namespace mansard::gui {
namespace {

// The rank that a row is about.
std::optional<int> rank_of(const analysis::Table& table, std::size_t row) {
  for (const char* key : {"rank", "slowest_rank", "max_rank", "last_rank"}) {
    const auto column = std::ranges::find(table.columns, key, &analysis::Column::key);
    if (column == table.columns.end()) continue;
    const auto at = static_cast<std::size_t>(column - table.columns.begin());
    const auto* rank = std::get_if<std::int64_t>(&table.rows[row][at]);
    if (rank != nullptr) return static_cast<int>(*rank);
  }
  return std::nullopt;
}

}  // namespace

JobTables::JobTables(QWidget* parent) : View(parent), tabs_(new QTabWidget(this)) {
  setAccessibleName(tr("Tables of the job"));
  tabs_->setDocumentMode(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(tabs_);
}

void JobTables::set_job(std::shared_ptr<const OpenJob> job) {
  while (tabs_->count() > 0) {
    QWidget* page = tabs_->widget(0);
    tabs_->removeTab(0);
    page->deleteLater();
  }
  if (!job) return;
  for (const analysis::Finding& finding : job->findings) {
    if (&finding == &job->findings.front()) continue;  // its lists are above the views
    for (const analysis::Table& table : finding.tables) {
      if (table.rows.empty()) continue;
      auto* page = new TablePage;
      page->set_table(table);
      connect(page, &TablePage::row_followed, this, [this, page](std::size_t row) {
        if (const auto rank = rank_of(page->table()->table(), row)) Q_EMIT rank_clicked(*rank);
      });
      tabs_->addTab(page, without_mnemonic(to_qstring(table.title)));
    }
  }
}

void JobTables::show_everything() {
  for (int i = 0; i < tabs_->count(); ++i) {
    static_cast<TablePage*>(tabs_->widget(i))->table()->restore_order();
  }
}

std::vector<analysis::Table> JobTables::tables() const {
  auto* page = static_cast<TablePage*>(tabs_->currentWidget());
  return page == nullptr ? std::vector<analysis::Table>() : std::vector{page->table()->table()};
}

}  // namespace mansard::gui
