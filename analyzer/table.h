// SPDX-License-Identifier: Apache-2.0
// A table of a finding, with typed cells and a unit for each column: every output format prints the
// same numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/chart.h"
#include "analyzer/classify/operation_class.h"

namespace mansard::analysis {

enum class CellFormat {
  text,
  count,     // integer, or a double that is a mean of integers
  quantity,  // double with an SI prefix and the column's unit
  number,    // double with the column's unit, without a prefix: "12.3 dB", "0.98 nat", "2e-5"
  fraction,  // double, shown in %
  ratio,     // double, "1.83x"
};

struct Column {
  std::string key;    // in JSON and CSV; a quantity's key says its unit: "time_s"
  std::string label;  // title
  CellFormat format = CellFormat::text;
  std::string unit;         // "s", "FLOP/s", "B"; empty for text, count, fraction, ratio
  std::string description;  // help: one sentence, for tooltips and documentation
  bool difference = false;  // a signed change: positive values are shown with "+"
  int digits = 3;           // significant digits of a quantity or number: 2 for an uncertainty
};

// std::monostate: unknown. Never printed as zero.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

template <class Value>
Cell cell_of(const std::optional<Value>& value) {
  return value ? Cell(*value) : Cell();
}

// For a text whose "" means "unknown".
inline Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// A column and the function that gets its value from an item, such as a kernel or a ledger line.
template <class Item>
struct ColumnOf {
  Column column;
  std::function<Cell(const Item&)> value;
};

// Columns of a table, or a catalog from which tables choose columns by key.
template <class Item>
using ColumnsOf = std::vector<ColumnOf<Item>>;

template <class Item>
const ColumnOf<Item>& at_key(const ColumnsOf<Item>& columns, std::string_view key) {
  const auto found = std::ranges::find_if(
      columns, [&](const ColumnOf<Item>& column) { return column.column.key == key; });
  if (found != columns.end()) return *found;
  throw std::logic_error("there is no column '" + std::string(key) + "'");
}

template <class Item>
ColumnsOf<Item> choose(const ColumnsOf<Item>& columns, const std::vector<std::string>& keys) {
  ColumnsOf<Item> chosen;
  for (const std::string& key : keys) chosen.push_back(at_key(columns, key));
  return chosen;
}

template <class Item>
std::vector<Column> heads(const ColumnsOf<Item>& columns) {
  std::vector<Column> heads;
  for (const ColumnOf<Item>& column : columns) heads.push_back(column.column);
  return heads;
}

template <class Item>
std::vector<Cell> cells(const ColumnsOf<Item>& columns, const Item& item) {
  std::vector<Cell> cells;
  for (const ColumnOf<Item>& column : columns) cells.push_back(column.value(item));
  return cells;
}

// Adds columns to a table, or cells to a row.
template <class Part>
void append(std::vector<Part>& parts, const std::vector<Part>& more) {
  parts.insert(parts.end(), more.begin(), more.end());
}

// The subject of a table row in the finding's run (for a comparison: in the candidate).
struct RowLink {
  std::optional<std::size_t> row = {};  // a kernel signature: index into RunAnalysis::rows
  OperationClass operation_class = {};  // otherwise all kernels of a class; "": none

  bool is_empty() const { return !row && operation_class.empty(); }
  bool operator==(const RowLink&) const = default;
};

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<Chart> chart = {};  // for figures; text formats ignore it
  std::vector<RowLink> links = {};  // by row; may be shorter than rows

  void add(std::vector<Cell> cells, RowLink link) {
    rows.push_back(std::move(cells));
    if (link == RowLink()) return;
    links.resize(rows.size());
    links.back() = std::move(link);
  }
  RowLink link(std::size_t table_row) const {
    return table_row < links.size() ? links[table_row] : RowLink();
  }
};

// A count or mean count: "36", "1,234", "2.5", "0.03".
std::string format_count(double value);

// As CellFormat::number: "12.3", "0.0195", "2.00e-5".
std::string format_plain(double value, int digits = 3);

// The cell as text: "4.05 TB/s", "93.4 %", "-" if unknown.
std::string format_cell(const Cell& cell, const Column& column);

}  // namespace mansard::analysis
