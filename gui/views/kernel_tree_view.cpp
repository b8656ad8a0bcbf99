// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernel_tree_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/views/cell_delegates.h"
#include "gui/views/view_keys.h"

namespace mansard::gui {
namespace {

constexpr int kMinTreeNameWidth_px = 220;
constexpr int kFetchAhead = 50;  // number of launches kept below the last visible one

// Draws classes with their mark.
class NameDelegate : public ClassDelegate {
 public:
  using ClassDelegate::ClassDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    if (index.parent().isValid()) {
      QStyledItemDelegate::paint(painter, option, index);
    } else {
      ClassDelegate::paint(painter, option, index);
    }
  }
};

}  // namespace

KernelTreeView::KernelTreeView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent),
      model_(new KernelTreeModel(this)),
      stack_(new QStackedWidget(this)),
      message_(new QLabel),
      tree_(new QTreeView) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setMargin(24);
  tree_->setModel(model_);
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setSelectionBehavior(QAbstractItemView::SelectRows);
  tree_->setSelectionMode(QAbstractItemView::SingleSelection);
  tree_->setTextElideMode(Qt::ElideMiddle);  // the end of a template name distinguishes kernels
  tree_->setMouseTracking(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setAccessibleName(tr("Kernels by class, name, signature and launch"));
  tree_->setSortingEnabled(true);
  order_by_saving();
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionsMovable(false);
  tree_->setItemDelegateForColumn(KernelTreeModel::name, new NameDelegate(tree_));
  tree_->setItemDelegateForColumn(KernelTreeModel::share, new FractionDelegate(tree_));
  tree_->setItemDelegateForColumn(KernelTreeModel::sol_fraction, new FractionDelegate(tree_));
  for (const int column : {KernelTreeModel::saving, KernelTreeModel::step_saving}) {
    tree_->setItemDelegateForColumn(column, new FractionDelegate(tree_, &figure::Surface::loss));
  }
  stack_->addWidget(message_);
  stack_->addWidget(tree_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  setFocusProxy(tree_);
  setAccessibleName(tr("Kernel tree"));

  connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            // Qt moves the current row itself while the model is filtered.
            if (!following_ && tree_->hasFocus()) choose(current);
          });
  connect(tree_, &QTreeView::clicked, this, &KernelTreeView::choose);
  connect(tree_, &QTreeView::entered, this,
          [this](const QModelIndex& index) { this->selection()->hover(model_->row_of(index)); });
  connect(tree_, &QTreeView::viewportEntered, this, [this] { this->selection()->hover({}); });
  connect(tree_->verticalScrollBar(), &QScrollBar::valueChanged, this,
          &KernelTreeView::show_more_at_the_end);
  connect(model_, &KernelTreeModel::launches_arrived, this, [this] {
    if (this->selection()->selected_launch()) follow_selection();
  });
  connect(selection, &SelectionModel::selected_changed, this, &KernelTreeView::follow_selection);
  connect(selection, &SelectionModel::shown_changed, this, &KernelTreeView::follow_filter);
  show_message();
}

void KernelTreeView::set_run(std::shared_ptr<const OpenRun> run) {
  // A growing profile is set repeatedly: keep the expanded branches.
  const bool again = same_recording(run_.get(), run.get());
  const QSet<QString> open = again ? open_branches() : QSet<QString>();
  const int scrolled = tree_->verticalScrollBar()->value();
  run_ = std::move(run);
  {
    const QScopedValueRollback guard(following_, true);
    // shown() may still belong to the previous run; shown_changed follows.
    const auto& shown = selection()->shown();
    const bool fits = run_ && shown->launches.size() == run_->analysis.rows.size();
    model_->set_run(run_, fits ? shown : std::make_shared<ShownLaunches>());
    if (again) {
      open_again(open);
    } else {
      order_by_saving();
      tree_->expand(model_->index(0, 0));
    }
  }
  if (!again) fit_columns();
  show_message();
  follow_selection();
  if (!again) return;
  tree_->doItemsLayout();
  tree_->verticalScrollBar()->setValue(scrolled);
}

// Every inner node, with its path of names from the class down.
void KernelTreeView::each_branch(
    const std::function<void(const QModelIndex&, const QString&)>& visit) const {
  const auto below = [&](const auto& self, const QModelIndex& parent, const QString& path) -> void {
    for (int i = 0; i < model_->rowCount(parent); ++i) {
      const QModelIndex index = model_->index(i, 0, parent);
      const QString name = path + QLatin1Char('\n') + index.data().toString();
      visit(index, name);
      if (!model_->row_of(index)) self(self, index, name);
    }
  };
  below(below, {}, {});
}

QSet<QString> KernelTreeView::open_branches() const {
  QSet<QString> open;
  each_branch([&](const QModelIndex& index, const QString& name) {
    if (tree_->isExpanded(index)) open.insert(name);
  });
  return open;
}

void KernelTreeView::open_again(const QSet<QString>& open) {
  each_branch([&](const QModelIndex& index, const QString& name) {
    if (open.contains(name)) tree_->expand(index);
  });
}

void KernelTreeView::show_everything() {
  const QScopedValueRollback guard(following_, true);
  tree_->collapseAll();
  order_by_saving();
  tree_->expand(model_->index(0, 0));
  tree_->scrollToTop();
}

void KernelTreeView::order_by_saving() {
  for (int column = 0; run_ && column < KernelTreeModel::column_count; ++column) {
    tree_->setColumnHidden(column, !KernelTreeModel::has(run_->analysis, column));
  }
  tree_->sortByColumn(run_ ? KernelTreeModel::order_column(run_->analysis) : KernelTreeModel::time,
                      Qt::DescendingOrder);
}

std::vector<analysis::Table> KernelTreeView::tables() const {
  if (!run_ || model_->rowCount() == 0) return {};
  std::vector<std::string> keys = {"class", "name", "signature"};
  keys.emplace_back(analysis::saving_key(run_->analysis));
  if (analysis::has_step_times(run_->analysis)) keys.emplace_back("step_time_s");
  analysis::append(keys, {"sol_fraction", "flop_per_s", "time_s", "share", "launches", "mean_s"});
  const analysis::KernelColumns columns = analysis::choose(analysis::kernel_columns(), keys);
  analysis::Table table{"kernel_tree",
                        tr("Kernels by class, name and signature").toStdString(),
                        analysis::heads(columns),
                        {}};
  for (int c = 0; c < model_->rowCount(); ++c) {
    const QModelIndex of_class = model_->index(c, 0);
    for (int n = 0; n < model_->rowCount(of_class); ++n) {
      const QModelIndex of_name = model_->index(n, 0, of_class);
      for (int s = 0; s < model_->rowCount(of_name); ++s) {
        const QModelIndex signature = model_->index(s, 0, of_name);
        table.add(analysis::cells(columns, model_->entry_of(signature)),
                  {.row = model_->row_of(signature)});
      }
    }
  }
  return {std::move(table)};
}

QString KernelTreeView::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void KernelTreeView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

void KernelTreeView::resizeEvent(QResizeEvent* event) {
  RunView::resizeEvent(event);
  fit_name_column();
}

void KernelTreeView::leaveEvent(QEvent*) { selection()->hover(std::nullopt); }

void KernelTreeView::choose(const QModelIndex& index) {
  if (const auto launch = model_->launch_of(index)) {
    selection()->select_launch(*launch);
  } else if (const auto row = model_->row_of(index)) {
    selection()->select(*row);
  }
}

void KernelTreeView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  if (std::exchange(stale_, false)) follow_selection();
}

void KernelTreeView::follow_selection() {
  // Do not spend time on finding a launch while hidden.
  stale_ = !isVisible();
  if (stale_) return;
  const auto row = selection()->selected();
  const auto launch = selection()->selected_launch();
  const QScopedValueRollback guard(following_, true);
  QModelIndex index;
  if (launch) index = model_->index_of_launch(*launch);
  if (!index.isValid() && row) index = model_->index_of_row(*row);
  if (index == tree_->currentIndex()) return;
  // Invalid if nothing is selected or the filter hides it.
  if (!index.isValid()) {
    // Keep a class or name that is current.
    if (model_->row_of(tree_->currentIndex())) tree_->setCurrentIndex({});
    return;
  }
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index);
}

void KernelTreeView::follow_filter() {
  // Belongs to another run, which will be set next.
  if (!run_ || selection()->run() != run_) return;
  {
    const QScopedValueRollback guard(following_, true);
    const bool first = model_->rowCount() == 0;
    model_->set_shown(selection()->shown());
    if (first) tree_->expand(model_->index(0, 0));
  }
  show_message();
  follow_selection();
}

void KernelTreeView::show_message() {
  QString text;
  if (!run_) {
    text = no_run_text();
  } else if (run_->analysis.rows.empty()) {
    text = tr("This profile has no launches.");
  } else if (model_->rowCount() == 0) {
    text = tr("No launches match the filter.");
  }
  message_->setText(text);
  stack_->setCurrentWidget(text.isEmpty() ? static_cast<QWidget*>(tree_) : message_);
}

void KernelTreeView::show_more_at_the_end() {
  QModelIndex last;
  // There may be empty space below the last row.
  for (int y = tree_->viewport()->height() - 1; y >= 0 && !last.isValid();
       y -= tree_->fontMetrics().height()) {
    last = tree_->indexAt({1, y});
  }
  if (!last.isValid()) return;
  if (!model_->launch_of(last)) last = tree_->indexAbove(last);  // already beyond the branch
  if (!model_->launch_of(last)) return;
  const QModelIndex signature = last.parent();
  if (last.row() + kFetchAhead >= model_->rowCount(signature)) model_->show_more(signature);
}

// Wide enough for any values, as those of collapsed branches are unknown.
void KernelTreeView::fit_columns() {
  for (int column = 1; column < KernelTreeModel::column_count; ++column) {
    const QString widest = column == KernelTreeModel::start      ? QStringLiteral("88.888888888 s")
                           : column == KernelTreeModel::rate     ? QStringLiteral("8.88 TFLOP/s")
                           : column == KernelTreeModel::launches ? QStringLiteral("8,888,888")
                                                                 : QStringLiteral("888.8 ms");
    const QFontMetrics metrics(tree_->font());
    tree_->setColumnWidth(column, std::max(metrics.horizontalAdvance(widest) + 18,
                                           tree_->header()->sectionSizeHint(column) + 4));
  }
  fit_name_column();
}

void KernelTreeView::fit_name_column() {
  // Uses the view's future size: the tree is laid out after its view.
  int rest = width() - tree_->verticalScrollBar()->sizeHint().width();
  for (int column = 1; column < KernelTreeModel::column_count; ++column) {
    rest -= tree_->columnWidth(column);
  }
  tree_->setColumnWidth(KernelTreeModel::name, std::max(rest, kMinTreeNameWidth_px));
}

}  // namespace mansard::gui
