// SPDX-License-Identifier: Apache-2.0
// What of a table is a picture: which columns name its bars and which give their lengths. How that
// looks is decided where it is drawn; names of series come from the columns' labels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mansard::analysis {

enum class ChartKind {
  // Differences that add up: the first row is where they start and the last where they end; every
  // other adds to what is above it, or takes away.
  waterfall,
  // Bars made of parts that add up, none of them negative: a row's value columns, or, with
  // `part_key`, all rows of one label.
  stacked_bars,
  bars,  // one value each
};

struct Chart {
  ChartKind kind = ChartKind::bars;
  // Rows of the table that are drawn, rising; empty: all. `selection` says in words which those
  // are.
  std::vector<std::size_t> rows = {};
  std::string selection = {};

  // Columns whose cells name a bar; those with the same cell in all rows are left out of the name.
  std::vector<std::string> label_keys;
  // One column of values; of stacked bars without `part_key` one for each part.
  std::vector<std::string> value_keys;
  // Waterfall: the column that holds the first and last row's values, if not that of the others.
  // Stacked bars without `part_key`: what the parts ought to add up to; the rest is a part as well.
  std::string total_key = {};
  bool more_is_better = false;  // waterfall: what is added is gained, not lost

  // Stacked bars with one part a row: the columns of its name and of the kind of thing it is
  // ("kernels", "communication", "waiting", "graphs", "copies", "idle"), by which figures choose
  // colors.
  std::string part_key = {};
  std::string part_kind_key = {};
  // The kinds of the value columns where each is a part.
  std::vector<std::string> value_kinds = {};

  // Bars: what a value is held against: a column in the same unit, or one that says which fraction
  // of it the value is.
  std::string reference_key = {};
  std::string fraction_key = {};
};

}  // namespace mansard::analysis
