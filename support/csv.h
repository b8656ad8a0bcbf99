// SPDX-License-Identifier: Apache-2.0
// Comma-separated values as in RFC 4180, with Unix line ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

// Returns the fields of the first record of `text` and removes it, with its line end, from `text`.
// A quoted field may hold commas, line ends and, doubled, quotes.
std::vector<std::string> next_csv_record(std::string_view& text);

// Returns the fields of one line.
std::vector<std::string> split_csv_line(std::string_view line);

// Returns `text` as a field, in quotes where needed. Invalid UTF-8 and control characters are
// replaced (safe_lines()); a text that a spreadsheet would take for a formula gets a leading
// apostrophe.
std::string csv_field(std::string_view text);

// Returns the shortest text that reads back as the same double; empty if it is not finite.
std::string csv_number(double number);

// A table with a header line and comment lines that begin with "#".
class CsvTable {
 public:
  // Throws std::runtime_error that names `file` and the line if a row and the header differ in
  // their number of cells.
  static CsvTable parse(std::string_view text, std::string file);

  // All throw std::runtime_error for an unknown column; number() and integer() also if the cell is
  // not a number.
  std::size_t rows() const { return rows_.size(); }
  const std::string& text(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column) const;
  std::int64_t integer(std::size_t row, std::string_view column) const;

 private:
  std::size_t index_of(std::string_view column) const;

  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<int> lines_;
};

}  // namespace mansard
