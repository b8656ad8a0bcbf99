// SPDX-License-Identifier: Apache-2.0
// Cells of a table by row and column key: std::out_of_range without such a cell,
// std::bad_variant_access for another type.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "analyzer/table.h"

namespace mansard::test {

inline const analysis::Cell& cell(const analysis::Table& table, std::size_t row,
                                  std::string_view key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return table.rows.at(row).at(i);
  }
  throw std::out_of_range("no column " + std::string(key));
}

// Counts too.
inline double number(const analysis::Table& table, std::size_t row, std::string_view key) {
  const analysis::Cell& value = cell(table, row, key);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  return std::get<double>(value);
}

inline const std::string& text(const analysis::Table& table, std::size_t row,
                               std::string_view key) {
  return std::get<std::string>(cell(table, row, key));
}

}  // namespace mansard::test
