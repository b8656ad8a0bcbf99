// SPDX-License-Identifier: Apache-2.0
#include "gui/views/numerics_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "analyzer/compare/loss_gap.h"
#include "analyzer/numerics/training_curve.h"
#include "gui/views/chart_view.h"
#include "gui/views/figure_splitter.h"
#include "gui/views/finding_table.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"
#include "gui/views/theme.h"
#include "gui/views/view_keys.h"
#include "gui/views/wrapped_label.h"

namespace mansard::gui {
namespace {

constexpr int kNumericsFigure_percent = 55;  // the figures' share of the width, or of the height

// The tables to read first have the first tabs; those of the figures come last.
constexpr std::array<std::string_view, 3> kFirstTabs = {"tensors", "groups", "loss_gap"};

bool has_record(const std::shared_ptr<const OpenRun>& run) {
  return run && analysis::has_training_record(run->analysis.profile);
}

analysis::Finding numerics_of(const OpenRun& run) {
  return analysis::analysis_registry().find("numerics")->run(run.analysis);
}

// The losses of both runs replace those of the run; its numerics stay.
analysis::Finding compared(const OpenRun& baseline, const OpenRun& run) {
  analysis::Finding own = numerics_of(run);
  std::optional<analysis::Finding> loss = analysis::loss_finding(baseline.analysis, run.analysis);
  if (!loss) return own;
  std::erase_if(loss->tables, [](const analysis::Table& table) { return table.id == "tensors"; });
  for (analysis::Table& table : own.tables) {
    if (table.id == "training" || table.id == "losses") continue;
    loss->tables.push_back(std::move(table));
  }
  return *std::move(loss);
}

reports::ReportPart part_of(analysis::Finding finding) {
  reports::ReportPart part;
  part.title = finding.title;
  part.findings = {std::move(finding)};
  return part;
}

std::size_t tab_order(const analysis::Table& table) {
  return static_cast<std::size_t>(std::ranges::find(kFirstTabs, table.id) - kFirstTabs.begin());
}

}  // namespace

NumericsView::NumericsView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent),
      part_(new BackgroundPart(this)),
      stack_(new QStackedWidget(this)),
      message_(wrapped_label(this)),
      summary_(wrapped_label(this)),
      splitter_(new FigureSplitter(kNumericsFigure_percent, this)),
      tabs_(new QTabWidget) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(24);
  summary_->setContentsMargins(12, 8, 12, 8);
  stacked_ = new QWidget;
  figures_ = scrolled(stacked_, this);
  tabs_->setDocumentMode(true);
  splitter_->set_parts(figures_, tabs_);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(summary_);
  layout->addWidget(splitter_, 1);
  stack_->addWidget(message_);
  stack_->addWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);

  setAccessibleName(tr("Training"));
  connect(part_, &BackgroundPart::changed, this, &NumericsView::show_part);
  show_part();
}

void NumericsView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  forget();
}

void NumericsView::set_baseline(std::shared_ptr<const OpenRun> baseline) {
  if (baseline == baseline_) return;
  baseline_ = std::move(baseline);
  forget();
}

void NumericsView::show_everything() {
  for (int i = 0; i < tabs_->count(); ++i) {
    auto* table = static_cast<FindingTable*>(tabs_->widget(i));
    table->restore_order();
    table->set_current(std::nullopt);
  }
  for (ChartView* chart : charts_) chart->set_marked(std::nullopt);
  figures_->ensureVisible(0, 0);
  if (tabs_->count() > 0) tabs_->setCurrentIndex(0);
}

void NumericsView::paint_figure(QPainter& painter) const {
  painter.fillRect(rect(), to_qcolor(figure::surface(theme_of(palette())).background));
  int whole = 0;
  for (const ChartView* chart : charts_) whole += chart->heightForWidth(width());
  if (whole == 0) return;
  // Paints all charts: those that scroll on the screen are scaled down.
  const double scale = std::min(1.0, static_cast<double>(height()) / whole);
  painter.save();
  painter.translate((1 - scale) * width() / 2, 0);
  painter.scale(scale, scale);
  for (const ChartView* chart : charts_) {
    chart->paint_figure(painter, width());
    painter.translate(0, chart->heightForWidth(width()));
  }
  painter.restore();
}

std::vector<analysis::Table> NumericsView::tables() const {
  const analysis::Finding* found = finding();
  return found ? found->tables : std::vector<analysis::Table>();
}

QString NumericsView::summary() const { return summary_->text(); }

QString NumericsView::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void NumericsView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

void NumericsView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  compute();
}

const analysis::Finding* NumericsView::finding() const {
  return part_->part() ? &part_->part()->findings.front() : nullptr;
}

void NumericsView::forget() {
  part_->clear();
  show_part();
  if (isVisible()) compute();
}

// Computed only when displayed.
void NumericsView::compute() {
  if (part_->state() != BackgroundPart::State::empty || !has_record(run_)) return;
  if (has_record(baseline_) && baseline_ != run_) {
    part_->start([run = run_, baseline = baseline_] { return part_of(compared(*baseline, *run)); });
  } else {
    part_->start([run = run_] { return part_of(numerics_of(*run)); });
  }
}

void NumericsView::show_part() {
  using State = BackgroundPart::State;
  const bool ready = part_->state() == State::ready;
  stack_->setCurrentIndex(ready ? 1 : 0);
  if (ready) {
    show_finding(*finding());
    splitter_->distribute();  // from now on the parts have sizes
  } else if (!run_) {
    message_->setText(no_run_text());
  } else if (part_->state() == State::failed) {
    message_->setText(part_->error());
  } else if (!has_record(run_)) {
    message_->setText(
        tr("This profile has no training record. \"mansard train --numerics N\" writes one."));
  } else {
    message_->setText(tr("Reading the training record ..."));
  }
}

ChartView* NumericsView::add_chart(const analysis::Table& table) {
  auto* chart = new ChartView;
  chart->set_table(table);
  if (!chart->has_chart()) {
    delete chart;
    return nullptr;
  }
  auto* title = wrapped_label(stacked_);
  title->setText(to_qstring(table.title) + (chart->caption().isEmpty()
                                                ? QString()
                                                : QStringLiteral(". ") + chart->caption()));
  title->setContentsMargins(12, 8, 12, 0);
  stacked_->layout()->addWidget(title);
  stacked_->layout()->addWidget(chart);
  charts_.push_back(chart);
  return chart;
}

void NumericsView::show_finding(const analysis::Finding& found) {
  summary_->setText(to_qstring(found.summary));
  while (tabs_->count() > 0) {
    QWidget* page = tabs_->widget(0);
    tabs_->removeTab(0);
    page->deleteLater();
  }
  charts_.clear();
  stacked_ = new QWidget;
  stacked_->setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(stacked_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  std::vector<const analysis::Table*> ordered;
  for (const analysis::Table& table : found.tables) ordered.push_back(&table);
  std::ranges::stable_sort(ordered, {}, [](const analysis::Table* t) { return tab_order(*t); });
  for (const analysis::Table* table : ordered) {
    auto* page = new FindingTable;
    page->set_table(*table);
    const int tab = tabs_->addTab(page, to_qstring(table->title));
    ChartView* chart = add_chart(*table);
    if (chart == nullptr) continue;
    connect(chart, &ChartView::row_clicked, this, [this, page, chart, tab](std::size_t row) {
      tabs_->setCurrentIndex(tab);
      page->set_current(row);
      chart->set_marked(row);
    });
    connect(page, &FindingTable::row_chosen, chart,
            [chart](std::size_t row) { chart->set_marked(row); });
  }
  column->addStretch(1);
  figures_->setWidget(stacked_);  // deletes the former one
  figures_->setVisible(!charts_.empty());
}

}  // namespace mansard::gui
