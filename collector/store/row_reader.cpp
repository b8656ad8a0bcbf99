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

std::string quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

// Returns an SQL expression for the column's value.
std::string value_of(std::string_view table, std::string_view column, const Names& present) {
  const std::string_view old = old_name(table, column);
  const bool has_old = !old.empty() && present.contains(old);
  if (column != "rowid" && !present.contains(column)) return has_old ? quoted(old) : "NULL";
  return has_old ? "ifnull(nullif(" + quoted(column) + ", 0), " + quoted(old) + ")"
                 : quoted(column);
}

}  // namespace

Statement select(Database& database, std::string_view table,
                 const std::vector<std::string_view>& columns, std::string_view order_by,
                 std::optional<RowSpan> rows) {
  Names present = database.columns(table);
  std::string_view name = table;
  for (const OldTable& old : kOldTables) {
    if (!present.empty() || old.name != table) continue;
    present = database.columns(old.old_name);
    name = old.old_name;
  }
  std::string sql;
  for (const std::string_view column : columns) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += present.empty() ? "NULL" : value_of(table, column, present);
  }
  if (present.empty()) return database.prepare(sql + " WHERE 0");
  sql += " FROM " + quoted(name);
  if (rows) {
    sql += " WHERE rowid BETWEEN " + std::to_string(rows->first) + " AND " +
           std::to_string(rows->last);
  }
  if (!order_by.empty()) sql += " ORDER BY " + value_of(table, order_by, present);
  return database.prepare(sql);
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

std::int64_t event_time(const Statement& row, int column) {
  const std::int64_t time_ns = row.integer(column);
  constexpr std::int64_t kMost_ns = std::int64_t{1} << 61;  // 73 years
  if (time_ns >= -kMost_ns && time_ns <= kMost_ns) return time_ns;
  throw ImpossibleTime("is damaged: it has an event at " + std::to_string(time_ns) +
                       " ns, more than 70 years from its start. Copy it again.");
}

}  // namespace mansard::store
