// SPDX-License-Identifier: Apache-2.0
// How to plot a table: which columns label the bars and which give their lengths. The renderer
// decides the appearance; series names come from the column labels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mansard::analysis {

enum class ChartKind {
  // The first row is the initial total and the last row the final total; every other row is a
  // signed change to the running total.
  waterfall,
  // Bars made of non-negative parts that add up: a row's value columns or, with `part_key`, all
  // rows with the same label.
  stacked_bars,
  bars,  // one value each
  // A line per value column or, with `part_key`, per part; the first label column is the x axis.
  lines,
};

struct Chart {
  ChartKind kind = ChartKind::bars;
  // Table rows to draw, in ascending order; empty: all. `selection` describes them for the reader.
  std::vector<std::size_t> rows = {};
  std::string selection = {};

  // Columns whose cells form a bar's label; columns with the same cell in all rows are left out.
  std::vector<std::string> label_keys;
  std::string description_key = {};  // column that explains each bar, for tooltips
  // One value column; for stacked bars without `part_key`, one column per part.
  std::vector<std::string> value_keys;
  // Waterfall: the column with the first and last row's values, if it is not the value column.
  // Stacked bars without `part_key`: the expected total; the remainder is drawn as another part.
  std::string total_key = {};
  bool more_is_better = false;  // waterfall: an increase is a gain, not a loss

  // Stacked bars with one part per row: the columns with its name and its kind ("kernels",
  // "communication", "hidden_communication", "synchronization", "waiting", "graphs",
  // "memcpy_memset", "idle"). Figures choose colors by the kind.
  std::string part_key = {};
  std::string part_kind_key = {};
  // Kinds of the value columns, if each column is a part.
  std::vector<std::string> value_kinds = {};

  // Bars: the reference for each value: a column in the same unit, or a column with the ratio of
  // value to reference.
  std::string reference_key = {};
  std::string fraction_key = {};

  // Lines with one value column: columns with the ends of a range around the value.
  std::string low_key = {};
  std::string high_key = {};
};

}  // namespace mansard::analysis
