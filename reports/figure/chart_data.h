// SPDX-License-Identifier: Apache-2.0
// What a table's chart shows, out of the table's cells: bars, their parts and texts, before
// anything has a place.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/table.h"

namespace mansard::figure {

struct ChartValue {
  double value = std::numeric_limits<double>::quiet_NaN();  // in the column's base unit
  std::string text = "-";  // as in the table; a waterfall's differences have their sign

  // Finite, and of a size that sums of many stay finite. What is not is shown as its text alone.
  bool drawable() const { return value > -1e300 && value < 1e300; }
};

// A part of stacked bars.
struct ChartSeries {
  std::string kind;   // as in Chart::part_kind_key; may be empty
  std::string name;   // within its kind; empty where the part is all of the kind
  std::string label;  // for people: "idle: launching"
};

struct ChartBar {
  std::size_t row = 0;             // of the table, the first of several
  std::string label;               // one line of well-formed UTF-8, however long
  std::vector<ChartValue> values;  // one for each series; of other kinds of charts one
  std::optional<ChartValue> reference;

  // Of stacked bars: what is drawn of them.
  double sum() const;
};

struct ChartData {
  analysis::ChartKind kind = analysis::ChartKind::bars;
  std::string title;                // the table's
  analysis::Column column;          // of the values: label, format and unit
  std::vector<ChartSeries> series;  // of stacked bars, those that any bar has something of
  std::string reference_label;      // empty: nothing is held against anything
  bool more_is_better = false;
  std::vector<ChartBar> bars;  // at most as many as asked for, the table's first
  std::size_t left_out = 0;    // bars beyond them
};

// Nothing where the table has no chart, no rows, or not the columns that the chart is of. A
// waterfall is never cut, as it would no longer add up.
std::optional<ChartData> read_chart(const analysis::Table& table, std::size_t max_bars);

// A value as the table's column prints it.
std::string value_text(double value, const analysis::Column& column);

}  // namespace mansard::figure
