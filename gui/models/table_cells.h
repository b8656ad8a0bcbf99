// SPDX-License-Identifier: Apache-2.0
// Cells and columns of tables as Qt's models want them.
#pragma once

#include <QString>
#include <QVariant>

#include "analyzer/table.h"

namespace mansard::gui {

// The value to sort by: a number in the column's unit, a text, or invalid when not known.
inline constexpr int kCellValueRole = Qt::UserRole;

QVariant cell_value(const analysis::Cell& cell);
QString cell_text(const analysis::Cell& cell, const analysis::Column& column);

int cell_alignment(const analysis::Column& column);

// The column's title, its help, and where both stand.
QVariant header_cell(const analysis::Column& column, int role);

// Whether `a` comes before `b`. What is not known comes last whichever way.
bool comes_before(const QVariant& a, const QVariant& b, Qt::SortOrder order);

}  // namespace mansard::gui
