// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/csv_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "cmake/embedded_file.h"

namespace mansard {

std::span<const EmbeddedFile> predict_data_files();  // generated

namespace {

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

CsvTable CsvTable::parse(std::string_view text, std::string file) {
  CsvTable table;
  table.file_ = std::move(file);
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> cells = split(line);
    if (table.columns_.empty()) {
      table.columns_ = std::move(cells);
    } else if (cells.size() != table.columns_.size()) {
      throw std::runtime_error(table.file_ + ", line " + std::to_string(line_number) + ": " +
                               std::to_string(cells.size()) + " cells under " +
                               std::to_string(table.columns_.size()) + " columns");
    } else {
      table.rows_.push_back(std::move(cells));
      table.lines_.push_back(line_number);
    }
  }
  return table;
}

std::size_t CsvTable::index_of(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) {
    throw std::runtime_error(file_ + ": there is no column '" + std::string(column) + "'");
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  return rows_.at(row)[index_of(column)];
}

double CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string& cell = text(row, column);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.empty() || *end != '\0' || !std::isfinite(value)) {
    throw std::runtime_error(file_ + ", line " + std::to_string(lines_[row]) + ": '" + cell +
                             "' is no number (column '" + std::string(column) + "')");
  }
  return value;
}

std::int64_t CsvTable::integer(std::size_t row, std::string_view column) const {
  return static_cast<std::int64_t>(std::llround(number(row, column)));
}

CsvTable predict_data(std::string_view file) {
  for (const EmbeddedFile& embedded : predict_data_files()) {
    if (embedded.name == file) return CsvTable::parse(embedded.content, std::string(file));
  }
  throw std::runtime_error("there is no data file '" + std::string(file) + "' in this build");
}

}  // namespace mansard
