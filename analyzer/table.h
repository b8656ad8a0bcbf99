// SPDX-License-Identifier: Apache-2.0
// A table of findings: typed cells and columns that know their unit, so that every output format
// prints the same numbers without knowing what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

// What a row of a table is about, in the run of the finding: the candidate, for two runs.
struct RowLink {
  std::optional<std::size_t> row = {};  // a kernel signature: into RunAnalysis::rows
  std::string operation_class = {};     // else all kernels of a class; "": none
  std::size_t entries = 1;  // more for a row that sums up entries that have no row of their own

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
