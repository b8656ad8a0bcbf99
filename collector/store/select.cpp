// SPDX-License-Identifier: Apache-2.0
#include "collector/store/read_tables.h"

namespace mansard::store {

Statement select(Database& database, std::string_view table,
                 std::initializer_list<std::string_view> columns, std::string_view order_by,
                 std::optional<RowSpan> rows) {
  const auto present = database.columns(table);
  std::string sql;
  for (const std::string_view column : columns) {
    sql += sql.empty() ? "SELECT " : ", ";
    const bool known = !present.empty() && (present.contains(column) || column == "rowid");
    sql += known ? "\"" + std::string(column) + "\"" : "NULL";
  }
  if (present.empty()) return database.prepare(sql + " WHERE 0");
  sql += " FROM \"" + std::string(table) + "\"";
  if (rows) {
    sql += " WHERE rowid BETWEEN " + std::to_string(rows->first) + " AND " +
           std::to_string(rows->last);
  }
  if (!order_by.empty() && present.contains(order_by)) {
    sql += " ORDER BY \"" + std::string(order_by) + "\"";
  }
  return database.prepare(sql);
}

}  // namespace mansard::store
