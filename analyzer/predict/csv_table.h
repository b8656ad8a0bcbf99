// SPDX-License-Identifier: Apache-2.0
// The data files of predict: comma-separated text with "#" comments and a line of column names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

class CsvTable {
 public:
  // Throws std::runtime_error naming `file` and the line where a row has other columns.
  static CsvTable parse(std::string_view text, std::string file);

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

// A file of analyzer/predict/data, compiled into the program.
CsvTable predict_data(std::string_view file);

}  // namespace mansard
