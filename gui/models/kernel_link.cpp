// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_link.h"

#include <algorithm>

#include "gui/models/selection_model.h"

namespace mansard::gui {

std::optional<analysis::RowLink> kernel_link(const analysis::Table& table, std::size_t table_row,
                                             const analysis::RunAnalysis& run) {
  analysis::RowLink link = table.link(table_row);
  // A class in a comparison may exist in the baseline only.
  const bool known = link.row ? *link.row < run.rows.size()
                              : std::ranges::any_of(run.rows, [&](const analysis::KernelRow& row) {
                                  return row.operation_class == link.operation_class;
                                });
  return known && !link.is_empty() ? std::optional(std::move(link)) : std::nullopt;
}

void follow(const analysis::RowLink& link, SelectionModel& selection) {
  if (link.row) {
    selection.select(*link.row);
    return;
  }
  const QString name = QString::fromStdString(link.operation_class.name());
  selection.set_operation_class(selection.filter().operation_class == name ? QString() : name);
}

}  // namespace mansard::gui
