// SPDX-License-Identifier: Apache-2.0
#include "gui/models/finding_model.h"

#include "gui/models/row_facts.h"
#include "reports/formats/writers.h"

namespace mansard::gui {
namespace {

QString text_of(const std::string& text) { return label_text(text); }

QVariant value_of(const analysis::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text_of(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return qlonglong(*count);
  if (const auto* number = std::get_if<double>(&cell)) {
    // What is no number has no place in an order.
    return *number == *number ? QVariant(*number) : QVariant();
  }
  return {};
}

}  // namespace

void FindingModel::set_table(analysis::Table table) {
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
}

int FindingModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int FindingModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant FindingModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const analysis::Column& column = table_.columns[static_cast<std::size_t>(index.column())];
  const analysis::Cell& cell =
      table_.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole:
      return text_of(analysis::format_cell(cell, column));
    case Qt::ToolTipRole:
      // Only texts are cut for want of room.
      return column.format == analysis::CellFormat::text
                 ? QVariant(text_of(analysis::format_cell(cell, column)))
                 : QVariant();
    case kValueRole:
      return value_of(cell);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (reports::right_aligned(column) ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const auto at = static_cast<std::size_t>(section);
  if (orientation != Qt::Horizontal || section < 0 || at >= table_.columns.size()) return {};
  const analysis::Column& column = table_.columns[at];
  switch (role) {
    case Qt::DisplayRole:
      return text_of(column.label);
    case Qt::ToolTipRole:
      return text_of(column.description);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (reports::right_aligned(column) ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

FindingSort::FindingSort(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(FindingModel::kValueRole);
}

bool FindingSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(FindingModel::kValueRole);
  const QVariant b = right.data(FindingModel::kValueRole);
  // What is not known comes last whichever way the column is sorted.
  if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
  return a.isValid() && QVariant::compare(a, b) == QPartialOrdering::Less;
}

}  // namespace mansard::gui
