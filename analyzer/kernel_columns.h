// SPDX-License-Identifier: Apache-2.0
// The catalog of what tables say about kernels: key, title, unit, help and value of each column,
// once. Analyses, CSV, JSON, the page and the window choose columns by key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/row_totals.h"

namespace mansard::analysis {

// A column is read from one of these: one row of a run, or a group of rows, such as a class.
struct KernelEntry {
  const KernelRow* row = nullptr;  // nullptr: a group
  RowTotals totals;                // of the row or the group; in the window, of what is shown

  KernelEntry() = default;
  explicit KernelEntry(const KernelRow& of_row) : row(&of_row) { totals.add(of_row); }
};

using KernelColumns = ColumnsOf<KernelEntry>;

// All columns. Cells are empty where a value is not known, and where a group has none.
const KernelColumns& kernel_columns();

// Key, title and unit of a column, with help of its own where a table counts something else.
Column kernel_head(std::string_view key, std::string help = "");

// The columns of the kernel table, which is also the CSV file and the page's table. Those of memory
// tiers only where the bytes of a row are known.
KernelColumns kernel_table_columns(const RunAnalysis& run);

// FLOP/B; empty where FLOPs or bytes are not known.
std::optional<double> intensity(const KernelRow& row, MemoryLevel level);

// SOL time over time; 1: as fast as the machine allows.
std::optional<double> fraction_of_light(const KernelRow& row);

}  // namespace mansard::analysis
