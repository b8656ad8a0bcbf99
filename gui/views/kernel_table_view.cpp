// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernel_table_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/cell_delegates.h"
#include "gui/views/painting.h"
#include "gui/views/plane_baseline.h"

namespace mansard::gui {
namespace {

constexpr int kMinTableNameWidth_px = 200;

}  // namespace

KernelTableView::KernelTableView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent),
      model_(new KernelTableModel(this)),
      sorted_(new KernelSortFilter(this)),
      table_(new QTableView(this)) {
  sorted_->setSourceModel(model_);

  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(ordered_by_, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);  // the end of a template name distinguishes kernels
  table_->setTabKeyNavigation(false);
  table_->setMouseTracking(true);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setStretchLastSection(false);
  table_->horizontalHeader()->setResizeContentsPrecision(50);  // rows; measuring is slow
  table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table_->horizontalHeader(), &QWidget::customContextMenuRequested, this,
          &KernelTableView::choose_columns);
  table_->setItemDelegateForColumn(KernelTableModel::operation_class, new ClassDelegate(table_));
  for (const int column :
       {KernelTableModel::share, KernelTableModel::step_share, KernelTableModel::sol_fraction}) {
    table_->setItemDelegateForColumn(column, new FractionDelegate(table_));
  }
  for (const int column : {KernelTableModel::saving, KernelTableModel::step_saving}) {
    table_->setItemDelegateForColumn(column, new FractionDelegate(table_, &figure::Surface::loss));
  }

  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            // Qt moves the current row itself while the model is reset or filtered.
            if (current.isValid() && !following_) selection()->select(row_of(current));
          });
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { selection()->select(row_of(index)); });
  connect(table_, &QTableView::entered, this,
          [this](const QModelIndex& index) { selection()->hover(row_of(index)); });
  connect(table_, &QTableView::viewportEntered, this, [this] { selection()->hover({}); });
  connect(shared, &SelectionModel::selected_changed, this, &KernelTableView::follow_selection);
  connect(shared, &SelectionModel::shown_changed, this, &KernelTableView::follow_shown);

  setFocusProxy(table_);
  setAccessibleName(tr("Kernels"));
  table_->viewport()->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
}

void KernelTableView::set_run(std::shared_ptr<const OpenRun> run) {
  const QScopedValueRollback<bool> guard(following_, true);
  run_ = run;
  baseline_ = nullptr;
  matching_.cancel();
  model_->set_run(run ? std::shared_ptr<const analysis::RunAnalysis>(run, &run->analysis)
                      : nullptr);
  model_->set_shown(selection()->shown());
  sorted_->follow_shown();
  if (run) {
    show_columns(run->analysis);
    order_by_saving(run->analysis);
  }
  fit_columns();
  follow_selection();
}

void KernelTableView::set_baseline(std::shared_ptr<const OpenRun> baseline) {
  if (baseline == baseline_) return;
  baseline_ = std::move(baseline);
  matching_.cancel();
  if (!run_ || !baseline_) return show_baseline(nullptr, {});
  const auto match = [run = run_, other = baseline_] {
    return match_rows(run->analysis, other->analysis);
  };
  if (!takes_long(*run_, *baseline_)) return show_baseline(baseline_, match());
  show_baseline(nullptr, {});
  matching_.start(match,
                  [this](RowMatches matches) { show_baseline(baseline_, std::move(matches)); });
}

void KernelTableView::show_baseline(std::shared_ptr<const OpenRun> baseline, RowMatches matches) {
  const QScopedValueRollback<bool> guard(following_, true);
  const bool had = model_->has_baseline();
  const analysis::RunAnalysis* analysis = baseline ? &baseline->analysis : nullptr;
  model_->set_baseline({std::move(baseline), analysis}, std::move(matches));
  if (!run_ || had == model_->has_baseline()) return;
  show_columns(run_->analysis);
  order_by_saving(run_->analysis);
  fit_columns();
}

bool KernelTableView::has(const analysis::RunAnalysis& run, int column) const {
  const bool present = model_->has_baseline() || !KernelTableModel::is_of_baseline(column);
  return present && KernelTableModel::has(run, column);
}

void KernelTableView::show_columns(const analysis::RunAnalysis& run) {
  for (int column = 0; column < KernelTableModel::column_count; ++column) {
    const auto chosen = chosen_.find(column);
    const bool wanted =
        chosen == chosen_.end() ? KernelTableModel::is_usual(column) : chosen->second;
    table_->setColumnHidden(column, !wanted || !has(run, column));
  }
}

void KernelTableView::fit_columns() {
  for (int column = 1; column < KernelTableModel::column_count; ++column) {
    if (table_->isColumnHidden(column)) continue;  // its cells may not be computed yet
    table_->resizeColumnToContents(column);
    table_->setColumnWidth(column, table_->columnWidth(column) + 6);
  }
  fit_name_column();
}

void KernelTableView::choose_columns(QPoint position) {
  const analysis::RunAnalysis* run = model_->run();
  if (run == nullptr) return;
  QMenu menu(this);
  for (int column = KernelTableModel::name + 1; column < KernelTableModel::column_count; ++column) {
    if (!has(*run, column)) continue;
    const analysis::Column& head = KernelTableModel::head(column);
    QAction* action =
        menu.addAction(without_mnemonic(to_qstring(head.label)), this, [this, column](bool shown) {
          chosen_[column] = shown;
          if (model_->run() == nullptr) return;
          show_columns(*model_->run());
          fit_columns();
        });
    action->setCheckable(true);
    action->setChecked(!table_->isColumnHidden(column));
    action->setToolTip(to_qstring(head.description));
  }
  menu.setToolTipsVisible(true);
  menu.exec(table_->horizontalHeader()->mapToGlobal(position));
}

// Keeps the order that the user chose, unless the run does not have that column.
void KernelTableView::order_by_saving(const analysis::RunAnalysis& run) {
  const int wanted = KernelTableModel::order_column(run);
  const int now = table_->horizontalHeader()->sortIndicatorSection();
  const bool chosen = now != ordered_by_ && has(run, now);
  if (chosen || wanted == now) return;
  table_->sortByColumn(wanted, Qt::DescendingOrder);
  ordered_by_ = wanted;
}

bool KernelTableView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit_name_column();
  return RunView::eventFilter(watched, event);
}

void KernelTableView::leaveEvent(QEvent*) { selection()->hover(std::nullopt); }

// The name column takes the remaining width, but at least kMinTableNameWidth_px.
void KernelTableView::fit_name_column() {
  int rest = table_->viewport()->width();
  for (int column = 1; column < KernelTableModel::column_count; ++column) {
    rest -= table_->columnWidth(column);
  }
  table_->setColumnWidth(KernelTableModel::name, std::max(rest, kMinTableNameWidth_px));
}

SelectionModel::Row KernelTableView::row_of(const QModelIndex& shown) const {
  const QModelIndex source = sorted_->mapToSource(shown);
  if (!source.isValid()) return std::nullopt;
  return static_cast<std::size_t>(source.row());
}

void KernelTableView::follow_selection() {
  const QScopedValueRollback<bool> guard(following_, true);
  const SelectionModel::Row row = selection()->selected();
  QModelIndex index;
  if (row && *row < static_cast<std::size_t>(model_->rowCount())) {
    index = sorted_->mapFromSource(model_->index(static_cast<int>(*row), 0));
  }
  // Invalid if nothing is selected or the filter hides the row.
  if (!index.isValid()) {
    table_->clearSelection();
    return;
  }
  table_->setCurrentIndex(index);
  table_->selectRow(index.row());
  table_->scrollTo(index);
}

void KernelTableView::follow_shown() {
  const QScopedValueRollback<bool> guard(following_, true);
  model_->set_shown(selection()->shown());
  sorted_->follow_shown();
  follow_selection();
}

std::vector<analysis::Table> KernelTableView::tables() const {
  if (model_->run() == nullptr || sorted_->rowCount() == 0) return {};
  const analysis::RunAnalysis& run = *model_->run();
  const analysis::KernelColumns columns = analysis::kernel_table_columns(run);
  analysis::Table table{"kernels", "Kernels", analysis::heads(columns), {}};
  for (const int column : model_->added_columns()) {
    table.columns.push_back(KernelTableModel::head(column));
  }
  for (int i = 0; i < sorted_->rowCount(); ++i) {
    const auto row = static_cast<std::size_t>(sorted_->mapToSource(sorted_->index(i, 0)).row());
    std::vector<analysis::Cell> cells =
        analysis::cells(columns, shown_entry(run, *selection()->shown(), row));
    for (const int column : model_->added_columns()) {
      cells.push_back(model_->added_cell(row, column));
    }
    table.add(std::move(cells), {.row = row});
  }
  return {std::move(table)};
}

}  // namespace mansard::gui
