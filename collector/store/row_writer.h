// SPDX-License-Identifier: Apache-2.0
// Inserts records into their table, and creates the table with its first row.
#pragma once

#include <optional>
#include <string>

#include "collector/store/global_ids.h"
#include "collector/store/sqlite.h"
#include "collector/store/table_declaration.h"

namespace mansard::store {

template <const auto& kTable>
class RowWriter {
 public:
  using Record = typename std::remove_cvref_t<decltype(kTable)>::Record;

  // `pid`: the recorded process.
  explicit RowWriter(Database& database, std::int64_t pid = 0) : database_(&database), pid_(pid) {}

  void insert(const Record& record) {
    if (!statement_) prepare();
    std::apply(
        [&](const auto&... columns) {
          int index = 0;
          (bind(columns, record, index), ...);
        },
        kTable.columns);
    statement_->run();
  }

 private:
  template <class Column>
  void bind(const Column& column, const Record& record, int& index) {
    using Access = typename Column::Access;
    if constexpr (Column::kWritten) {
      ++index;
      if constexpr (std::is_same_v<Access, RecordedProcess>) {
        statement_->bind(index, global_pid(pid_));
      } else if constexpr (InRecord<Access>) {
        bind_member(column, record, index);
      } else if constexpr (requires { column.access.value; }) {
        statement_->bind(index, to_sql(column.access.value));
      } else {
        const auto value = column.access.get(record);
        if (!value) return statement_->bind(index, std::nullopt);
        if constexpr (std::is_same_v<typename Column::Value, std::string>) {
          statement_->bind_copy(index, *value);
        } else {
          statement_->bind(index, to_sql(*value));
        }
      }
    }
  }

  template <class Column>
  void bind_member(const Column& column, const Record& record, int index) {
    using Value = typename Column::Value;
    const Value& value = column.access(record);
    if (column.null_for_default) {
      static const Record none{};
      if (value == column.access(none)) return statement_->bind(index, std::nullopt);
    }
    if constexpr (std::is_integral_v<Value>) {
      if (column.unsigned_32) return statement_->bind(index, static_cast<std::uint32_t>(value));
      if (column.zero_for_process && value == 0) {
        const bool is_pid = column.kind == ColumnKind::pid;
        return statement_->bind(index, is_pid ? pid_ : global_pid(pid_));
      }
    }
    statement_->bind(index, to_sql(value));
  }

  void prepare() {
    if (!database_->has_table(kTable.name)) database_->exec(create_statement(kTable));
    std::string names;
    std::string values;
    kTable.for_each([&]<class Column>(const Column& column) {
      if (!Column::kWritten) return;
      names += (names.empty() ? "\"" : ", \"") + std::string(column.name) + '"';
      values += values.empty() ? "?" : ", ?";
    });
    statement_.emplace(database_->prepare("INSERT INTO " + std::string(kTable.name) + " (" + names +
                                          ") VALUES (" + values + ")"));
  }

  Database* database_;
  std::int64_t pid_;
  std::optional<Statement> statement_;
};

}  // namespace mansard::store
