// SPDX-License-Identifier: Apache-2.0
#include "support/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "support/text.h"

namespace mansard {

std::vector<std::string> next_csv_record(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != '\n'); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (!quoted && fields.back().ends_with('\r')) fields.back().pop_back();
  text.remove_prefix(std::min(i + 1, text.size()));
  return fields;
}

std::vector<std::string> split_csv_line(std::string_view line) { return next_csv_record(line); }

std::string csv_field(std::string_view text) {
  std::string content = safe_lines(text);
  // A spreadsheet would evaluate it as a formula, which can run programs and send data away:
  // https://owasp.org/www-community/attacks/CSV_Injection
  constexpr std::string_view kFormula = "=+-@\t";
  if (content.size() > 1 && kFormula.find(content.front()) != kFormula.npos) {
    content.insert(0, 1, '\'');
  }
  // A leading '#' is quoted too, so that no row looks like a table's "# id" line.
  const bool plain =
      content.find_first_of(",\"\r\n") == std::string::npos && !content.starts_with('#');
  if (plain) return content;
  std::string out = "\"";
  for (const char c : content) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(double number) {
  if (!std::isfinite(number)) return {};
  // The shortest text that reads back as the same double.
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

CsvTable CsvTable::parse(std::string_view text, std::string file) {
  CsvTable table;
  table.file_ = std::move(file);
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    std::vector<std::string> cells = split_csv_line(line);
    if (table.columns_.empty()) {
      table.columns_ = std::move(cells);
    } else if (cells.size() != table.columns_.size()) {
      throw std::runtime_error(table.file_ + ", line " + std::to_string(line_number) + ": " +
                               std::to_string(cells.size()) + " cells, but the header has " +
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
    throw std::runtime_error(file_ + ": no column '" + std::string(column) + "'");
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
                             "' is not a number (column '" + std::string(column) + "')");
  }
  return value;
}

std::int64_t CsvTable::integer(std::size_t row, std::string_view column) const {
  return static_cast<std::int64_t>(std::llround(number(row, column)));
}

}  // namespace mansard
