// SPDX-License-Identifier: Apache-2.0
// Follows the links of a table's rows.
#pragma once

#include <cstddef>
#include <optional>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

class SelectionModel;

// The link of the table row, if it refers to kernels of `run`.
std::optional<analysis::RowLink> kernel_link(const analysis::Table& table, std::size_t table_row,
                                             const analysis::RunAnalysis& run);

// Selects the row, or filters by the class. If that class is the filter already, removes it.
void follow(const analysis::RowLink& link, SelectionModel& selection);

}  // namespace mansard::gui
