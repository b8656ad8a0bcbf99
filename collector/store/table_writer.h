// SPDX-License-Identifier: Apache-2.0
// Inserts rows into one table, which is created with its first row.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "collector/store/schema.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

// NULL in the place of a value that means "none".
template <class T>
std::optional<T> unless(T value, T none) {
  return value == none ? std::nullopt : std::optional<T>(value);
}

inline std::optional<std::string_view> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

class TableWriter {
 public:
  TableWriter(Database& database, std::string_view table,
              std::initializer_list<std::string_view> columns)
      : database_(database), table_(table) {
    std::string values;
    for (const std::string_view column : columns) {
      insert_ += (insert_.empty() ? "INSERT INTO " + table_ + " (\"" : "\", \"");
      insert_ += column;
      values += values.empty() ? "?" : ", ?";
    }
    insert_ += "\") VALUES (" + values + ")";
  }

  template <class... Values>
  void insert(const Values&... values) {
    if (!statement_) {
      if (!database_.has_table(table_)) database_.exec(create_statement(table_));
      statement_.emplace(database_.prepare(insert_));
    }
    statement_->run(values...);
  }

 private:
  Database& database_;
  std::string table_;
  std::string insert_;
  std::optional<Statement> statement_;
};

}  // namespace mansard::store
