// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernel_table_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/cell_delegates.h"

namespace mansard {
namespace {

constexpr int kLeastNameWidth_px = 200;

}  // namespace

KernelTableView::KernelTableView(SelectionModel* selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      model_(new KernelTableModel(this)),
      sorted_(new KernelSortFilter(this)),
      filter_(new QLineEdit(this)),
      count_(new QLabel(this)),
      table_(new QTableView(this)) {
  sorted_->setSourceModel(model_);

  filter_->setPlaceholderText(tr("Filter by name, class, precision or bound"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(420);
  connect(filter_, &QLineEdit::textChanged, selection_, &SelectionModel::set_filter);
  connect(selection_, &SelectionModel::filter_changed, this, &KernelTableView::follow_filter);

  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelTableModel::time, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);  // a template's tail tells kernels apart
  table_->setTabKeyNavigation(false);
  table_->setMouseTracking(true);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setStretchLastSection(false);
  table_->setItemDelegateForColumn(KernelTableModel::operation_class, new ClassDelegate(table_));
  table_->setItemDelegateForColumn(KernelTableModel::share, new FractionDelegate(table_));
  table_->setItemDelegateForColumn(KernelTableModel::of_light, new FractionDelegate(table_));

  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            // While the model is reset or filtered Qt moves the current row by itself.
            if (current.isValid() && table_->hasFocus()) selection_->select(row_of(current));
          });
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { selection_->select(row_of(index)); });
  connect(table_, &QTableView::entered, this,
          [this](const QModelIndex& index) { selection_->hover(row_of(index)); });
  connect(table_, &QTableView::viewportEntered, this, [this] { selection_->hover({}); });
  connect(selection_, &SelectionModel::selected_changed, this, &KernelTableView::follow_selection);
  connect(sorted_, &QAbstractItemModel::modelReset, this, &KernelTableView::show_count);

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 4);
  bar->addWidget(filter_, 1);
  bar->addStretch(1);
  bar->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(table_);
}

void KernelTableView::set_run(std::shared_ptr<const RunAnalysis> run) {
  model_->set_run(std::move(run));
  for (int column = 1; column < KernelTableModel::column_count; ++column) {
    table_->resizeColumnToContents(column);
    table_->setColumnWidth(column, table_->columnWidth(column) + 6);
  }
  fit_name_column();
  follow_selection();
}

void KernelTableView::resizeEvent(QResizeEvent*) { fit_name_column(); }

void KernelTableView::leaveEvent(QEvent*) { selection_->hover(std::nullopt); }

// Names take what the figures leave, but never so little that they say nothing.
void KernelTableView::fit_name_column() {
  int rest = table_->viewport()->width();
  for (int column = 1; column < KernelTableModel::column_count; ++column) {
    rest -= table_->columnWidth(column);
  }
  table_->setColumnWidth(KernelTableModel::name, std::max(rest, kLeastNameWidth_px));
}

void KernelTableView::focus_filter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

SelectionModel::Row KernelTableView::row_of(const QModelIndex& shown) const {
  const QModelIndex source = sorted_->mapToSource(shown);
  if (!source.isValid()) return std::nullopt;
  return static_cast<std::size_t>(source.row());
}

void KernelTableView::follow_selection() {
  const SelectionModel::Row row = selection_->selected();
  QModelIndex index;
  if (row && *row < static_cast<std::size_t>(model_->rowCount())) {
    index = sorted_->mapFromSource(model_->index(static_cast<int>(*row), 0));
  }
  // Empty when nothing is selected, or the filter hides it.
  if (!index.isValid()) {
    table_->clearSelection();
    return;
  }
  table_->setCurrentIndex(index);
  table_->selectRow(index.row());
  table_->scrollTo(index);
}

void KernelTableView::follow_filter() {
  if (filter_->text() != selection_->filter()) filter_->setText(selection_->filter());
  sorted_->set_filter(selection_->filter());
  show_count();
  follow_selection();
}

void KernelTableView::show_count() {
  double share = 0;
  for (int row = 0; row < sorted_->rowCount(); ++row) {
    share +=
        sorted_->index(row, KernelTableModel::share).data(KernelTableModel::kValueRole).toDouble();
  }
  const QString kernels = count_text(model_->rowCount(), "kernel", "kernels");
  count_->setText(sorted_->rowCount() == model_->rowCount()
                      ? kernels
                      : tr("%1 of %2, %3 of the time")
                            .arg(sorted_->rowCount())
                            .arg(kernels, percent_text(share)));
}

}  // namespace mansard
