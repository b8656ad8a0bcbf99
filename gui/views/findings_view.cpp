// SPDX-License-Identifier: Apache-2.0
#include "gui/views/findings_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/kernel_link.h"
#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"
#include "gui/views/view_keys.h"
#include "gui/views/wrapped_label.h"

namespace mansard::gui {
namespace {

// "time_based": "Time based".
QString title_of(const analysis::AnalysisSpec& analysis) {
  QString title = to_qstring(analysis.name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  return title;
}

reports::ReportPart part_of(const analysis::AnalysisSpec& analysis,
                            const analysis::RunAnalysis& run) {
  reports::ReportPart part;
  part.findings.push_back(analysis.run(run));
  part.title = part.findings.front().title;
  return part;
}

}  // namespace

FindingsView::FindingsView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent),
      splitter_(new QSplitter(this)),
      list_(new QListWidget),
      stack_(new QStackedWidget),
      message_(wrapped_label()),
      title_(wrapped_label()),
      summary_(wrapped_label()),
      tabs_(new QTabWidget) {
  const std::vector<analysis::AnalysisSpec>& all = analysis::analysis_registry().all();
  for (const analysis::AnalysisSpec& analysis : all) {
    auto* item = new QListWidgetItem(title_of(analysis), list_);
    item->setToolTip(to_qstring(analysis.summary));
    auto* part = new BackgroundPart(this);
    connect(part, &BackgroundPart::changed, this, &FindingsView::show_chosen);
    found_.push_back(part);
  }
  list_->setAccessibleName(tr("Analyses"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMinimumWidth(110);
  list_->setSpacing(2);
  list_->setCurrentRow(0);
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(24);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setContentsMargins(12, 8, 12, 0);
  summary_->setContentsMargins(12, 4, 12, 8);
  tabs_->setDocumentMode(true);
  tabs_->setTabBarAutoHide(true);

  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(summary_);
  layout->addWidget(tabs_, 1);
  stack_->addWidget(message_);
  stack_->addWidget(content);
  splitter_->addWidget(list_);
  splitter_->addWidget(stack_);
  splitter_->setStretchFactor(1, 1);
  splitter_->setChildrenCollapsible(false);
  splitter_->setSizes({130, 900});
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(splitter_);

  setAccessibleName(tr("Analyses"));
  connect(list_, &QListWidget::currentRowChanged, this, [this] {
    compute();
    show_chosen();
  });
  show_chosen();
}

void FindingsView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  shown_ = nullptr;
  for (BackgroundPart* part : found_) part->clear();
  show_chosen();
  if (isVisible()) compute();
}

void FindingsView::show_everything() {
  if (tabs_->count() == 0) return;
  tabs_->setCurrentIndex(0);
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* page = static_cast<TablePage*>(tabs_->widget(i));
    page->table()->restore_order();
    page->table()->set_current(std::nullopt);
    page->chart()->set_marked(std::nullopt);
  }
}

std::vector<analysis::Table> FindingsView::tables() const {
  const analysis::Finding* found = finding(chosen());
  return found ? found->tables : std::vector<analysis::Table>();
}

void FindingsView::choose(std::string_view name) {
  const std::vector<analysis::AnalysisSpec>& all = analysis::analysis_registry().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) list_->setCurrentRow(static_cast<int>(i));
  }
}

QString FindingsView::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

QString FindingsView::summary() const { return summary_->text(); }

void FindingsView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

void FindingsView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  compute();
}

std::size_t FindingsView::chosen() const {
  return static_cast<std::size_t>(std::max(0, list_->currentRow()));
}

const analysis::Finding* FindingsView::finding(std::size_t analysis) const {
  const auto& part = found_[analysis]->part();
  return part ? &part->findings.front() : nullptr;
}

// Computed only when displayed, and once per run.
void FindingsView::compute() {
  BackgroundPart* part = found_[chosen()];
  if (part->state() != BackgroundPart::State::empty || !run_ || run_->analysis.rows.empty()) {
    return;
  }
  // The registry is never destroyed.
  part->start([run = run_, analysis = &analysis::analysis_registry().all()[chosen()]] {
    return part_of(*analysis, run->analysis);
  });
}

void FindingsView::show_chosen() {
  const BackgroundPart* part = found_[chosen()];
  if (const analysis::Finding* found = finding(chosen())) {
    stack_->setCurrentIndex(1);
    if (found != shown_) show_finding(*found);
    return;
  }
  stack_->setCurrentIndex(0);
  if (!run_) {
    message_->setText(no_run_text());
  } else if (run_->analysis.rows.empty()) {
    message_->setText(tr("This profile has no launches, so there is nothing to analyze."));
  } else if (part->state() == BackgroundPart::State::failed) {
    message_->setText(part->error());
  } else {
    message_->setText(tr("Computing \"%1\" ...").arg(list_->currentItem()->text()));
  }
}

void FindingsView::show_finding(const analysis::Finding& found) {
  shown_ = &found;
  title_->setText(to_qstring(found.title));
  summary_->setText(to_qstring(found.summary));
  summary_->setVisible(!found.summary.empty());
  while (tabs_->count() > 0) {
    QWidget* page = tabs_->widget(0);
    tabs_->removeTab(0);
    page->deleteLater();
  }
  for (const analysis::Table& table : found.tables) {
    if (table.rows.empty()) continue;
    auto* page = new TablePage;
    tabs_->addTab(page, to_qstring(table.title));
    page->set_table(table);
    link_rows(page);
  }
}

void FindingsView::link_rows(TablePage* page) {
  const auto link_of = [this, page](std::size_t row) -> std::optional<analysis::RowLink> {
    if (!run_) return std::nullopt;
    return kernel_link(page->table()->table(), row, run_->analysis);
  };
  connect(page, &TablePage::row_chosen, this, [this, link_of](std::size_t row) {
    const auto link = link_of(row);
    if (link && link->row) follow(*link, *selection());
  });
  // A class sets a filter, which must not happen by moving over its row.
  connect(page, &TablePage::row_followed, this, [this, link_of](std::size_t row) {
    const auto link = link_of(row);
    if (link && !link->row) follow(*link, *selection());
  });
}

}  // namespace mansard::gui
