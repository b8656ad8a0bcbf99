// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_filter.h"

#include <algorithm>

#include "gui/models/row_facts.h"

namespace mansard::gui {

KernelFilter::KernelFilter(const QString& text)
    : words_(text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {}

bool KernelFilter::matches(const analysis::KernelRow& row) const {
  if (words_.isEmpty()) return true;
  const QString name = QString::fromStdString(row.name);
  const QStringList fields = {name, QString::fromStdString(row.short_name),
                              QString::fromStdString(row.operation_class.name()),
                              precision_text(row), bound_text(row)};
  return std::ranges::all_of(words_, [&](const QString& word) {
    return std::ranges::any_of(
        fields, [&](const QString& field) { return field.contains(word, Qt::CaseInsensitive); });
  });
}

}  // namespace mansard::gui
