// SPDX-License-Identifier: Apache-2.0
#include "gui/models/table_cells.h"

#include "gui/models/row_facts.h"
#include "reports/formats/writers.h"

namespace mansard::gui {

QVariant cell_value(const analysis::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return label_text(*text);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return qlonglong(*count);
  if (const auto* number = std::get_if<double>(&cell)) {
    // NaN cannot be ordered.
    return *number == *number ? QVariant(*number) : QVariant();
  }
  return {};
}

QString cell_text(const analysis::Cell& cell, const analysis::Column& column) {
  return label_text(analysis::format_cell(cell, column));
}

int cell_alignment(const analysis::Column& column) {
  return int(Qt::AlignVCenter | (reports::right_aligned(column) ? Qt::AlignRight : Qt::AlignLeft));
}

QVariant header_cell(const analysis::Column& column, int role) {
  switch (role) {
    case Qt::DisplayRole:
      return label_text(column.label);
    case Qt::ToolTipRole:
      return label_text(column.description);
    case Qt::TextAlignmentRole:
      return cell_alignment(column);
    default:
      return {};
  }
}

bool comes_before(const QVariant& a, const QVariant& b, Qt::SortOrder order) {
  if (a.isValid() != b.isValid()) return a.isValid();
  if (!a.isValid()) return false;
  const QPartialOrdering compared = QVariant::compare(a, b);
  return compared ==
         (order == Qt::AscendingOrder ? QPartialOrdering::Less : QPartialOrdering::Greater);
}

}  // namespace mansard::gui
