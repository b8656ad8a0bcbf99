// SPDX-License-Identifier: Apache-2.0
#include "gui/models/finding_model.h"

namespace mansard::gui {

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
      return cell_text(cell, column);
    case Qt::ToolTipRole:
      // Only texts may be elided in a narrow column.
      return column.format == analysis::CellFormat::text ? QVariant(cell_text(cell, column))
                                                         : QVariant();
    case kCellValueRole:
      return cell_value(cell);
    case Qt::TextAlignmentRole:
      return cell_alignment(column);
    default:
      return {};
  }
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const auto at = static_cast<std::size_t>(section);
  if (orientation != Qt::Horizontal || section < 0 || at >= table_.columns.size()) return {};
  return header_cell(table_.columns[at], role);
}

FindingSort::FindingSort(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(kCellValueRole);
}

bool FindingSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(kCellValueRole);
  const QVariant b = right.data(kCellValueRole);
  // Qt reverses the order for descending sorts.
  return sortOrder() == Qt::AscendingOrder ? comes_before(a, b, Qt::AscendingOrder)
                                           : comes_before(b, a, Qt::DescendingOrder);
}

}  // namespace mansard::gui
