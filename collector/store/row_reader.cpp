// SPDX-License-Identifier: Apache-2.0
#include "collector/store/row_reader.h"

#include <algorithm>

#include "collector/store/nsight_names.h"

namespace mansard::store {
namespace {

using Names = std::set<std::string, std::less<>>;

// Returns the column's name in older schemas, or "" if it never had another name.
std::string_view old_name(std::string_view table, std::string_view column) {
  const auto known = std::ranges::find_if(
      kOldColumns, [&](const OldColumn& old) { return old.table == table && old.name == column; });
  return known == kOldColumns.end() ? "" : known->old_name;
}

std::string sql_name(std::string_view name) { return '"' + std::string(name) + '"'; }

// Returns an SQL expression for the column's value.
std::string value_of(std::string_view table, std::string_view column, const Names& present) {
  const std::string_view old = old_name(table, column);
  const bool has_old = !old.empty() && present.contains(old);
  if (column != "rowid" && !present.contains(column)) return has_old ? sql_name(old) : "NULL";
  return has_old ? "ifnull(nullif(" + sql_name(column) + ", 0), " + sql_name(old) + ")"
                 : sql_name(column);
}

// Columns of a table under the names that they have in a file.
struct Selection {
  std::string table;                 // "": missing
  std::vector<std::string> values;   // SQL expressions
  std::vector<std::string> columns;  // names in the file, "" for NULL
  bool is_plain = true;              // no column needs an expression
  std::string order_by;              // an SQL expression
};

Selection resolve(Database& database, std::string_view table,
                  const std::vector<std::string_view>& columns, std::string_view order_by) {
  Names present = database.columns(table);
  Selection resolved;
  resolved.table = table;
  for (const OldTable& old : kOldTables) {
    if (!present.empty() || old.name != table) continue;
    present = database.columns(old.old_name);
    resolved.table = old.old_name;
  }
  if (present.empty()) resolved.table.clear();
  for (const std::string_view column : columns) {
    resolved.values.push_back(present.empty() ? "NULL" : value_of(table, column, present));
    const bool is_there = column == "rowid" || present.contains(column);
    resolved.columns.emplace_back(is_there ? column : "");
    const std::string& value = resolved.values.back();
    resolved.is_plain &= value == (is_there ? sql_name(column) : "NULL");
  }
  if (!order_by.empty() && !present.empty()) {
    resolved.order_by = value_of(table, order_by, present);
  }
  return resolved;
}

Statement statement_of(Database& database, const Selection& selected,
                       const std::optional<RowSpan>& rows) {
  std::string sql;
  for (const std::string& value : selected.values) sql += (sql.empty() ? "SELECT " : ", ") + value;
  if (selected.table.empty()) return database.prepare(sql + " WHERE 0");
  sql += " FROM " + sql_name(selected.table);
  if (rows) {
    sql += " WHERE rowid BETWEEN " + std::to_string(rows->first) + " AND " +
           std::to_string(rows->last);
  }
  if (!selected.order_by.empty()) sql += " ORDER BY " + selected.order_by;
  return database.prepare(sql);
}

}  // namespace

Statement select(Database& database, std::string_view table,
                 const std::vector<std::string_view>& columns, std::string_view order_by,
                 std::optional<RowSpan> rows) {
  return statement_of(database, resolve(database, table, columns, order_by), rows);
}

Rows::Rows(Database& database, std::string_view table, const std::vector<std::string_view>& columns,
           std::string_view order_by, std::optional<RowSpan> rows) {
  const Selection selected = resolve(database, table, columns, order_by);
  const bool in_file_order = order_by.empty() || order_by == "rowid";
  if (!selected.table.empty() && selected.is_plain && in_file_order) {
    pages_ = PageScan::open(database, selected.table, selected.columns, rows.value_or(RowSpan{}));
  }
  if (!pages_) statement_.emplace(statement_of(database, selected, rows));
}

RowSpan row_span(Database& database, std::string_view table) {
  if (!database.has_table(table)) return {1, 0};
  // Use two subqueries: a single query for both would scan all rows.
  const std::string name(table);
  Statement ends = database.prepare("SELECT (SELECT min(rowid) FROM " + name +
                                    "), (SELECT max(rowid) FROM " + name + ")");
  if (!ends.step() || ends.is_null(0)) return {1, 0};
  return {ends.integer(0), ends.integer(1)};
}

std::int64_t possible_time(std::int64_t time_ns) {
  constexpr std::int64_t kMost_ns = std::int64_t{1} << 61;  // 73 years
  if (time_ns >= -kMost_ns && time_ns <= kMost_ns) return time_ns;
  throw ImpossibleTime("is damaged: it has an event at " + std::to_string(time_ns) +
                       " ns, more than 70 years from its start. Copy it again.");
}

}  // namespace mansard::store
