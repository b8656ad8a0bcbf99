// SPDX-License-Identifier: Apache-2.0
// The data of a table's chart, read from its cells: bars, parts and texts, without a layout.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/table.h"

namespace mansard::figure {

struct ChartValue {
  double value = std::numeric_limits<double>::quiet_NaN();  // in the column's base unit
  std::string text = "-";  // as in the table; differences in a waterfall are signed
  // Lines: a range around the value, as in Chart::low_key; NaN: none.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  // Whether the value is finite and small enough that sums stay finite. Other values are shown only
  // as text.
  bool drawable() const { return value > -1e300 && value < 1e300; }
};

// A part of stacked bars, or a line.
struct ChartSeries {
  std::string kind;   // as in Chart::part_kind_key; may be empty
  std::string name;   // within its kind; empty if the part is the whole kind
  std::string label;  // display name: "idle: launching"
};

// A bar or, in a chart of lines, a position on the x axis.
struct ChartBar {
  std::size_t row = 0;             // row of the table, the first of several
  double x = 0;                    // lines only
  std::string label;               // one line of valid UTF-8 of any length
  std::vector<ChartValue> values;  // one per series; exactly one in a waterfall and plain bars
  std::optional<ChartValue> reference;
  std::string description = {};  // as in Chart::description_key; may be empty

  // Stacked bars: the sum of the drawn parts.
  double sum() const;
};

struct ChartData {
  analysis::ChartKind kind = analysis::ChartKind::bars;
  std::string title;                // the table's
  analysis::Column column;          // of the values: label, format and unit
  analysis::Column x_column;        // lines only
  std::vector<ChartSeries> series;  // stacked bars: series with a nonzero value; lines: drawn ones
  std::string reference_label;      // empty: no references
  bool more_is_better = false;
  std::vector<ChartBar> bars;  // the first rows of the table, up to the limit; lines: ascending x
  std::size_t left_out = 0;    // number of omitted bars
};

// Returns nothing if the table has no chart, no rows, or lacks the chart's columns. A waterfall is
// never truncated, since it would no longer add up, nor are lines.
std::optional<ChartData> read_chart(const analysis::Table& table, std::size_t max_bars);

// Formats a value as the column does in tables.
std::string value_text(double value, const analysis::Column& column);

}  // namespace mansard::figure
