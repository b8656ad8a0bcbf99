// SPDX-License-Identifier: Apache-2.0
// A table of findings: typed cells and columns that know their unit, so that every output format
// prints the same numbers without knowing what they mean.
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

template <class Value>
Cell cell_of(const std::optional<Value>& value) {
  return value ? Cell(*value) : Cell();
}

// A text of which "" means "not known".
inline Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// A column with the value that it reads from an item, such as a kernel or a line of a ledger.
template <class Item>
struct ColumnOf {
  Column column;
  std::function<Cell(const Item&)> value;
};

// Of one table, or a catalog that tables choose theirs from by key.
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

// What a row of a table is about, in the run of the finding: the candidate, for two runs.
struct RowLink {
  std::optional<std::size_t> row = {};  // a kernel signature: into RunAnalysis::rows
  OperationClass operation_class = {};  // else all kernels of a class; "": none

  bool is_empty() const { return !row && operation_class.empty(); }
  bool operator==(const RowLink&) const = default;
};

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<Chart> chart = {};  // for figures; no format of text prints it
  std::vector<RowLink> links = {};  // by row; those after the last are empty

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

// A mean number of things: "36", "1,234", "2.5", "0.03".
std::string format_count(double value);

// The cell as people read it: "4.05 TB/s", "93.4 %", "-" when not known.
std::string format_cell(const Cell& cell, const Column& column);

}  // namespace mansard::analysis
