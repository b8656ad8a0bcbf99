// SPDX-License-Identifier: Apache-2.0
#include "gui/views/finding_table.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace mansard::gui {
namespace {

constexpr int kWidestColumn_px = 360;
constexpr int kLeastSentence_px = 320;
constexpr int kLeastName_px = 150;
constexpr int kMaxWrappedRows = 500;  // measuring text takes time
constexpr int kFit_ms = 50;
constexpr int kMeasuredRows = 50;  // rows measured to set a column's width
constexpr int kCellPadding_px = 4;
constexpr int kLineGap_px = 9;
constexpr std::size_t kLongText = 40;  // characters

// Long texts of ordinary words; template names contain spaces, too, but are not sentences.
bool has_sentences(const analysis::Table& table, std::size_t column) {
  const std::string& key = table.columns[column].key;
  if (key == "name" || key.starts_with("signature") || key == "kernel") return false;
  return std::ranges::any_of(table.rows, [&](const std::vector<analysis::Cell>& row) {
    const auto* text = std::get_if<std::string>(&row[column]);
    return text != nullptr && text->size() > kLongText &&
           std::ranges::count(*text, ' ') * 12 > static_cast<std::ptrdiff_t>(text->size());
  });
}

// Keeps texts away from the numbers of the previous column.
class PaddedDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &ground, painter,
                                          ground.widget);
    QStyledItemDelegate::paint(painter, padded(option), index);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(padded(option), index) +
           QSize(2 * kCellPadding_px, kLineGap_px);
  }

 private:
  static QStyleOptionViewItem padded(QStyleOptionViewItem option) {
    option.rect.adjust(kCellPadding_px, 0, -kCellPadding_px, 0);
    return option;
  }
};

}  // namespace

FindingTable::FindingTable(QWidget* parent)
    : QTableView(parent), model_(new FindingModel(this)), sorted_(new FindingSort(this)) {
  sorted_->setSourceModel(model_);
  setModel(sorted_);
  setItemDelegate(new PaddedDelegate(this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setTextElideMode(Qt::ElideMiddle);
  setTabKeyNavigation(false);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicatorClearable(true);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kLineGap_px);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(false);
  horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);

  connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
    const auto row = row_of(index);
    if (!row) return;
    Q_EMIT row_chosen(*row);
    Q_EMIT row_followed(*row);
  });
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            // Clicks have their own signal; while the model is reset, Qt moves the current row
            // itself.
            const bool by_keys = hasFocus() && !(QGuiApplication::mouseButtons() & Qt::LeftButton);
            const auto row = row_of(index);
            if (by_keys && row) Q_EMIT row_chosen(*row);
          });
  fit_.setSingleShot(true);
  fit_.setInterval(kFit_ms);
  connect(&fit_, &QTimer::timeout, this, &FindingTable::fit_columns);
  connect(sorted_, &QAbstractItemModel::layoutChanged, this, &FindingTable::fit_rows);
}

void FindingTable::set_table(analysis::Table table, const QStringList& hidden) {
  setAccessibleName(QString::fromStdString(table.title));
  model_->set_table(std::move(table));
  sentences_ = -1;
  for (int column = 0; column < model_->columnCount(); ++column) {
    const analysis::Column& c = model_->table().columns[static_cast<std::size_t>(column)];
    const bool hide = hidden.contains(QString::fromStdString(c.key));
    setColumnHidden(column, hide);
    if (!hide && has_sentences(model_->table(), static_cast<std::size_t>(column))) {
      sentences_ = column;
    }
  }
  restore_order();
  setWordWrap(sentences_ >= 0);
  fit_columns();
}

void FindingTable::restore_order() {
  sortByColumn(-1, Qt::AscendingOrder);
  scrollToTop();
}

void FindingTable::set_current(std::optional<std::size_t> row) {
  if (!row || *row >= model_->table().rows.size()) {
    clearSelection();
    selectionModel()->clearCurrentIndex();
    return;
  }
  const QModelIndex index = sorted_->mapFromSource(model_->index(static_cast<int>(*row), 0));
  selectionModel()->setCurrentIndex(
      index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollTo(index);
}

std::optional<std::size_t> FindingTable::current() const { return row_of(currentIndex()); }

void FindingTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  if (event->size().width() == event->oldSize().width()) return;
  if (sentences_ < 0) return fit_names();
  if (isVisible()) {
    fit_.start();
  } else {
    fit_columns();  // so that its first appearance is final
  }
}

void FindingTable::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const auto row = current();
  if (!enter || !row) return QTableView::keyPressEvent(event);
  Q_EMIT row_followed(*row);
}

std::optional<std::size_t> FindingTable::row_of(const QModelIndex& shown) const {
  const QModelIndex source = sorted_->mapToSource(shown);
  if (!source.isValid()) return std::nullopt;
  return static_cast<std::size_t>(source.row());
}

// Sentences take the width that the other columns leave.
void FindingTable::fit_columns() {
  fit_.stop();
  int rest = viewport()->width();
  for (int column = 0; column < model_->columnCount(); ++column) {
    if (column == sentences_ || isColumnHidden(column)) continue;
    resizeColumnToContents(column);
    setColumnWidth(column, std::min(columnWidth(column) + 6, kWidestColumn_px));
    rest -= columnWidth(column);
  }
  names_px_ = model_->columnCount() > 0 ? columnWidth(0) : 0;
  if (sentences_ >= 0) {
    setColumnWidth(sentences_, std::max(rest, kLeastSentence_px));
  } else {
    fit_names();
  }
  fit_rows();
}

// The first column (names) shrinks for numbers that would be outside the view; its tooltips show
// the full names.
void FindingTable::fit_names() {
  if (names_px_ <= kLeastName_px || isColumnHidden(0)) return;
  int others = 0;
  for (int column = 1; column < model_->columnCount(); ++column) others += columnWidth(column);
  setColumnWidth(0, std::clamp(viewport()->width() - others, kLeastName_px, names_px_));
}

void FindingTable::fit_rows() {
  if (sentences_ >= 0 && model_->rowCount() <= kMaxWrappedRows) {
    resizeRowsToContents();
  } else {
    for (int row = 0; row < sorted_->rowCount(); ++row) {
      if (rowHeight(row) != verticalHeader()->defaultSectionSize()) {
        setRowHeight(row, verticalHeader()->defaultSectionSize());
      }
    }
  }
}

}  // namespace mansard::gui
