// SPDX-License-Identifier: Apache-2.0
// Converts table cells and columns for Qt models.
#pragma once

#include <QString>
#include <QVariant>

#include "analyzer/table.h"

namespace mansard::gui {

// The sort key: a number in the column's unit, a text, or invalid if unknown.
inline constexpr int kCellValueRole = Qt::UserRole;

QVariant cell_value(const analysis::Cell& cell);
QString cell_text(const analysis::Cell& cell, const analysis::Column& column);

int cell_alignment(const analysis::Column& column);

// The column's title, tooltip and alignment.
QVariant header_cell(const analysis::Column& column, int role);

// Whether `a` sorts before `b`. Unknown values come last in both orders.
bool comes_before(const QVariant& a, const QVariant& b, Qt::SortOrder order);

}  // namespace mansard::gui
