// SPDX-License-Identifier: Apache-2.0
// Which kernels of a run a row of a finding is about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analyzer/run_analysis.h"

namespace mansard::gui {

class SelectionModel;

// One of the two.
struct KernelLink {
  std::optional<std::size_t> row;    // into RunAnalysis::rows
  std::string operation_class = {};  // all kernels of it

  bool operator==(const KernelLink&) const = default;
};

// By the keys of the table's columns: a row's number, a signature, a short name with what tells
// rows of that name apart, a class, a line of a ledger. Nothing where the row names no kernel of
// `run`.
std::optional<KernelLink> kernel_link(const analysis::Table& table, std::size_t table_row,
                                      const analysis::RunAnalysis& run);

// Selects the row, or shows that class alone; all classes where it was shown alone already.
void follow(const KernelLink& link, SelectionModel& selection);

}  // namespace mansard::gui
