// SPDX-License-Identifier: Apache-2.0
#include "gui/views/step_time_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <stdexcept>

#include "gui/models/kernel_link.h"
#include "gui/views/chart_view.h"
#include "gui/views/figure_splitter.h"
#include "gui/views/finding_table.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"
#include "gui/views/theme.h"
#include "gui/views/view_keys.h"
#include "gui/views/wrapped_label.h"
#include "reports/comparison_part.h"

namespace mansard::gui {
namespace {

constexpr int kStepFigure_percent = 58;  // figure's share of the width, or of the height
constexpr std::size_t kKernels = 64;     // maximum per line

// "gemm kernels", "idle: host code", as the lines of a ledger.
std::string part_label(const std::string& kind, const std::string& name) {
  if (kind == "kernels") return name + " kernels";
  return kind == "memcpy_memset" ? name : kind + ": " + name;
}

// The parts of a typical step, largest first: for runs without SOL time to compare with.
analysis::Table parts_of_step(const analysis::Table& parts) {
  const auto text = [&](std::size_t row, std::size_t column) {
    return std::get<std::string>(parts.rows[row][column]);
  };
  constexpr std::size_t kDevice = 0, kKind = 1, kName = 2, kTime = 3;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < parts.rows.size(); ++i) {
    if (std::get<double>(parts.rows[i][kTime]) > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return std::get<double>(parts.rows[i][kTime]); });
  analysis::Table sorted;
  sorted.id = parts.id;
  sorted.title = parts.title;
  sorted.columns = {
      {"cause", "cause", analysis::CellFormat::text, "", parts.columns[kName].description},
      parts.columns[kDevice]};
  sorted.columns.insert(sorted.columns.end(), parts.columns.begin() + kTime, parts.columns.end());
  for (const std::size_t i : order) {
    std::vector<analysis::Cell> cells = {part_label(text(i, kKind), text(i, kName)),
                                         parts.rows[i][kDevice]};
    cells.insert(cells.end(), parts.rows[i].begin() + kTime, parts.rows[i].end());
    sorted.add(std::move(cells), parts.link(i));
  }
  sorted.chart = analysis::Chart{.kind = analysis::ChartKind::bars,
                                 .label_keys = {"device", "cause"},
                                 .description_key = "meaning",
                                 .value_keys = {"time_s"}};
  return sorted;
}

reports::ReportPart breakdown_of_run(const OpenRun& run, const std::string& why) {
  analysis::Finding steps = analysis::analysis_registry().find("steps")->run(run.analysis);
  const auto parts = std::ranges::find(steps.tables, "step_time", &analysis::Table::id);
  if (parts == steps.tables.end() || parts->rows.empty()) throw std::runtime_error(why);
  reports::ReportPart part;
  part.title = steps.title;
  part.notes = {steps.summary};
  steps.summary = why;
  *parts = parts_of_step(*parts);
  std::rotate(steps.tables.begin(), parts, parts + 1);
  part.findings = {std::move(steps)};
  return part;
}

reports::ReportPart ledger_of_run(const OpenRun& run, const std::string& title) {
  analysis::Ledger ledger = analysis::explain_run(run.analysis);
  if (!(ledger.ideal_s > 0)) return breakdown_of_run(run, analysis::no_sol_text(ledger));
  reports::ReportPart part;
  part.title = title;
  part.findings = {analysis::ledger_finding(std::move(ledger), title, kKernels)};
  return part;
}

reports::ReportPart comparison(const OpenRun& baseline, const OpenRun& run) {
  reports::ReportPart part = reports::comparison_part(baseline.analysis, run.analysis);
  // The training view shows the loss.
  std::erase_if(part.findings, [](const analysis::Finding& f) { return f.id == "loss"; });
  if (part.findings.empty()) {
    std::string why;
    for (const std::string& note : part.notes) why += (why.empty() ? "" : " ") + note;
    throw std::runtime_error(why);
  }
  return part;
}

}  // namespace

StepTimeView::StepTimeView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent),
      part_(new BackgroundPart(this)),
      stack_(new QStackedWidget(this)),
      message_(wrapped_label(this)),
      summary_(wrapped_label(this)),
      splitter_(new FigureSplitter(kStepFigure_percent, this)),
      chart_(new ChartView),
      tabs_(new QTabWidget),
      lines_(new QSplitter(Qt::Vertical, tabs_)),
      ledger_(new FindingTable),
      behind_title_(wrapped_label(this)),
      behind_(new FindingTable) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(24);
  summary_->setContentsMargins(12, 8, 12, 8);
  figure_ = scrolled(chart_, this);
  auto* below = new QWidget;
  auto* below_layout = new QVBoxLayout(below);
  below_layout->setContentsMargins(0, 0, 0, 0);
  below_layout->setSpacing(0);
  behind_title_->setContentsMargins(8, 6, 8, 4);
  below_layout->addWidget(behind_title_);
  below_layout->addWidget(behind_);
  lines_->addWidget(ledger_);
  lines_->addWidget(below);
  lines_->setStretchFactor(0, 3);
  lines_->setStretchFactor(1, 2);
  lines_->hide();  // until added as a tab
  tabs_->setDocumentMode(true);
  splitter_->set_parts(figure_, tabs_);

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

  setAccessibleName(tr("Where a step's time goes"));
  connect(part_, &BackgroundPart::changed, this, &StepTimeView::show_part);
  connect(chart_, &ChartView::row_clicked, this, [this](std::size_t row) {
    ledger_->set_current(row);
    choose_line(row);
    follow_row(ledger_->table(), row);
  });
  connect(ledger_, &FindingTable::row_chosen, this, &StepTimeView::choose_line);
  connect(ledger_, &FindingTable::row_followed, this,
          [this](std::size_t row) { follow_row(ledger_->table(), row); });
  connect(behind_, &FindingTable::row_followed, this,
          [this](std::size_t row) { follow_row(behind_->table(), row); });
  show_part();
}

void StepTimeView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  forget();
}

void StepTimeView::set_baseline(std::shared_ptr<const OpenRun> baseline) {
  if (baseline == baseline_) return;
  baseline_ = std::move(baseline);
  forget();
}

void StepTimeView::show_everything() {
  ledger_->restore_order();
  ledger_->set_current(std::nullopt);
  chart_->set_marked(std::nullopt);
  figure_->ensureVisible(0, 0);
  if (tabs_->count() > 0) tabs_->setCurrentIndex(0);
}

void StepTimeView::paint_figure(QPainter& painter) const {
  painter.fillRect(rect(), to_qcolor(figure::surface(theme_of(palette())).background));
  if (!chart_->has_chart()) return;
  // Paints the whole chart: one that scrolls on the screen is scaled down.
  const double scale =
      std::min(1.0, static_cast<double>(height()) / std::max(1, chart_->heightForWidth(width())));
  painter.save();
  painter.translate((1 - scale) * width() / 2, 0);
  painter.scale(scale, scale);
  chart_->paint_figure(painter, width());
  painter.restore();
}

std::vector<analysis::Table> StepTimeView::tables() const {
  std::vector<analysis::Table> all;
  if (!part_->part()) return all;
  for (const analysis::Finding& finding : part_->part()->findings) {
    all.insert(all.end(), finding.tables.begin(), finding.tables.end());
  }
  return all;
}

QString StepTimeView::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void StepTimeView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

void StepTimeView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  compute();
}

const analysis::Finding* StepTimeView::ledger_finding() const {
  if (!part_->part()) return nullptr;
  const auto& findings = part_->part()->findings;
  const auto found = std::ranges::find_if(
      findings, [](const analysis::Finding& finding) { return finding.ledger != nullptr; });
  return found == findings.end() ? nullptr : &*found;
}

void StepTimeView::forget() {
  part_->clear();
  show_part();
  if (isVisible()) compute();
}

// Computed only when displayed.
void StepTimeView::compute() {
  if (part_->state() != BackgroundPart::State::empty || !run_ || run_->analysis.rows.empty()) {
    return;
  }
  if (is_comparison()) {
    part_->start([run = run_, baseline = baseline_] { return comparison(*baseline, *run); });
  } else {
    part_->start([run = run_, title = tr("Where a step's time goes").toStdString()] {
      return ledger_of_run(*run, title);
    });
  }
}

void StepTimeView::show_part() {
  using State = BackgroundPart::State;
  const bool ready = part_->state() == State::ready;
  stack_->setCurrentIndex(ready ? 1 : 0);
  if (ready) {
    show_tabs(*part_->part());
    splitter_->distribute();  // from now on the parts have sizes
    return;
  }
  chart_->clear();
  if (!run_) {
    message_->setText(no_run_text());
  } else if (part_->state() == State::failed) {
    message_->setText(part_->error());
  } else if (run_->analysis.rows.empty()) {
    message_->setText(tr("This profile has no launches, so there is no step time to explain."));
  } else {
    message_->setText(baseline_ ? tr("Computing the difference between the two profiles ...")
                                : tr("Computing where a step's time goes ..."));
  }
}

void StepTimeView::show_tabs(const reports::ReportPart& part) {
  while (tabs_->count() > 0) {
    QWidget* page = tabs_->widget(0);
    tabs_->removeTab(0);
    if (page != lines_) page->deleteLater();
  }
  const analysis::Finding* ledger = ledger_finding();
  summary_->setText(to_qstring((ledger ? *ledger : part.findings.front()).summary));
  // Without a ledger, the parts of the step have its place; a comparison has neither.
  const analysis::Table* breakdown = nullptr;
  if (ledger) {
    breakdown = &ledger->tables.front();
  } else if (!is_comparison()) {
    breakdown = &part.findings.front().tables.front();
  }
  figure_->setVisible(breakdown != nullptr);
  behind_title_->parentWidget()->setVisible(ledger != nullptr);
  lines_->setParent(nullptr);
  std::vector<std::string> notes = part.notes;
  rows_.clear();
  chart_->clear();
  if (breakdown) {
    chart_->set_table(*breakdown);
    ledger_->set_table(*breakdown, {QStringLiteral("id"), QStringLiteral("meaning")});
    tabs_->addTab(lines_, tr("Breakdown"));
  }
  if (ledger) {
    notes.insert(notes.end(), ledger->ledger->notes.begin(), ledger->ledger->notes.end());
    rows_ = analysis::ledger_rows(*ledger->ledger);
    // Select the most expensive line to show its kernels at once.
    const auto costs = [](const analysis::LedgerRow& row) { return row.line ? row.adds_s : 0.0; };
    const auto worst = std::ranges::max_element(rows_, {}, costs);
    ledger_->set_current(static_cast<std::size_t>(worst - rows_.begin()));
    choose_line(static_cast<std::size_t>(worst - rows_.begin()));
  }
  for (const analysis::Finding& finding : part.findings) {
    if (&finding == ledger) continue;
    for (const analysis::Table& table : finding.tables) {
      if (&table == breakdown) continue;
      auto* page = new TablePage;
      tabs_->addTab(page, to_qstring(table.title));
      page->set_table(table);
      connect(page, &TablePage::row_followed, this,
              [this, page](std::size_t row) { follow_row(page->table()->table(), row); });
    }
  }
  if (!notes.empty()) {
    analysis::Table table{
        "notes", "Notes", {{"note", "note", analysis::CellFormat::text, "", ""}}, {}};
    for (const std::string& note : notes) table.rows.push_back({note});
    auto* page = new FindingTable;
    page->set_table(std::move(table));
    tabs_->addTab(page, tr("Notes (%1)").arg(notes.size()));
  }
}

void StepTimeView::choose_line(std::size_t row) {
  chart_->set_marked(row);
  const analysis::Finding* finding = ledger_finding();
  if (finding == nullptr || row >= rows_.size()) return;
  const analysis::LedgerRow& chosen = rows_[row];
  behind_title_->setText(to_qstring(chosen.label + ": " + chosen.meaning));
  behind_->setVisible(chosen.line != nullptr);
  behind_->set_table(chosen.line
                         ? analysis::kernels_of_line(*finding->ledger, *chosen.line, kKernels)
                         : analysis::Table());
}

void StepTimeView::follow_row(const analysis::Table& table, std::size_t row) {
  if (!run_) return;
  if (const auto link = kernel_link(table, row, run_->analysis)) follow(*link, *selection());
}

}  // namespace mansard::gui
