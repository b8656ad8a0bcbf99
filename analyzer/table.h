// SPDX-License-Identifier: Apache-2.0
// A table of findings: typed cells and columns that know their unit, so that every output format
// prints the same numbers without knowing what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/chart.h"

namespace mansard::analysis {

enum class CellFormat {
  text,
  count,     // integer, or a double that is a mean of such
  quantity,  // double with an SI prefix and the column's unit
  fraction,  // double shown as per cent
  ratio,     // double, "1.83x"
};

struct Column {
  std::string key;    // in JSON and CSV; a quantity's key says its unit: "time_s"
  std::string label;  // for people
  CellFormat format = CellFormat::text;
  std::string unit;         // "s", "FLOP/s", "B"; empty for text, count, fraction, ratio
  std::string description;  // tooltip and documentation, one sentence
};

// std::monostate: not known. It is printed as such, never as zero.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<Chart> chart = {};  // for figures; no format of text prints it
};

// A mean number of things: "36", "1,234", "2.5", "0.03".
std::string format_count(double value);

// The cell as people read it: "4.05 TB/s", "93.4 %", "-" when not known.
std::string format_cell(const Cell& cell, const Column& column);

}  // namespace mansard::analysis
