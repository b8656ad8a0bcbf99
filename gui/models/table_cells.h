// SPDX-License-Identifier: Apache-2.0
// Converts table cells and columns for Qt models.
#pragma once

#include <QString>
#include <QVariant>

#include "analyzer/table.h"

namespace mansard::gui {

// The sort key: a number in the column's unit, a text, or invalid if unknown.
inline constexpr int kCellValueRole = Qt::UserRole;
// The length of the bar in the cell, 0 to 1; invalid: the cell's value is a fraction.
inline constexpr int kBarRole = Qt::UserRole + 1;

// Position of the column with this key; -1: none.
template <class Item>
int position_of(const analysis::ColumnsOf<Item>& columns, std::string_view key) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column.key == key) return static_cast<int>(i);
  }
  return -1;
}

QVariant cell_value(const analysis::Cell& cell);
QString cell_text(const analysis::Cell& cell, const analysis::Column& column);

int cell_alignment(const analysis::Column& column);

// The column's title, tooltip and alignment.
QVariant header_cell(const analysis::Column& column, int role);

// Whether `a` sorts before `b`. Unknown values come last in both orders.
bool comes_before(const QVariant& a, const QVariant& b, Qt::SortOrder order);

}  // namespace mansard::gui
