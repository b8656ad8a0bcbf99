// SPDX-License-Identifier: Apache-2.0
// The catalog of kernel columns: key, title, unit, help and value of each. Analyses, CSV, JSON, the
// page and the window choose columns by key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/row_totals.h"

namespace mansard::analysis {

// Source of a column's value: one row of a run, or a group of rows such as a class.
struct KernelEntry {
  const KernelRow* row = nullptr;  // nullptr: a group
  RowTotals totals;                // of the row or group; in the window, of the visible part

  KernelEntry() = default;
  explicit KernelEntry(const KernelRow& of_row) : row(&of_row) { totals.add(of_row); }
};

using KernelColumns = ColumnsOf<KernelEntry>;

// All columns. A cell is empty if the value is unknown, or undefined for a group.
const KernelColumns& kernel_columns();

// Key, title and unit of a column; `help` replaces its help if not empty.
Column kernel_head(std::string_view key, std::string help = "");

// Columns of the kernel table, the CSV file and the page's table. Includes the columns of a memory
// tier only if the bytes of some row are known there.
KernelColumns kernel_table_columns(const RunAnalysis& run);

// Key of the column with the potential saving of the run's rows.
std::string_view saving_key(const RunAnalysis& run);

// Key of the column by which kernel tables are sorted, largest first: the potential saving, or the
// time if most of it is in kernels whose saving is unknown; per typical step, if there are steps.
std::string_view kernel_order_key(const RunAnalysis& run);

// "Kernels by potential saving per step"
std::string kernel_table_title(const RunAnalysis& run);

// The rows with undisturbed launches, in that order.
std::vector<std::size_t> rows_in_order(const RunAnalysis& run);

// The name where it must be short, as in titles: without the common prefix of cuDNN's generated
// kernels, and truncated in the middle to `width` columns.
std::string brief_name(const KernelRow& row, int width = 48);

// Arithmetic intensity in FLOP/B; empty if FLOPs or bytes are unknown.
std::optional<double> intensity(const KernelRow& row, MemoryLevel level);

// T_sol / T; 1: as fast as the machine allows.
std::optional<double> fraction_of_light(const KernelRow& row);

}  // namespace mansard::analysis
