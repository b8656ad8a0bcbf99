// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/table_copier.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "collector/store/nsight_names.h"
#include "collector/store/schema.h"

namespace mansard::collector {
namespace {

using Names = std::set<std::string, std::less<>>;

// Tables that a merged profile has once, or that are copied separately.
const Names kNotCopied = {"META_DATA_EXPORT", "MANSARD_STATE",
                          "MANSARD_SESSION",  "TARGET_INFO_SESSION_START_TIME",
                          "StringIds",        "TARGET_INFO_GPU"};
// An event without a device, as written by CUPTI and Nsight Systems.
constexpr const char* kNoDevice = "4294967295";

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

std::int64_t single(store::Database& database, const std::string& sql) {
  store::Statement row = database.prepare(sql);
  return row.step() ? row.integer(0) : 0;
}

std::set<std::string, std::less<>> columns_of(store::Database& database, const std::string& schema,
                                              const std::string& table) {
  store::Statement info = database.prepare("SELECT name FROM pragma_table_info(?, ?)");
  info.bind(1, std::string_view(table));
  info.bind(2, std::string_view(schema));
  Names names;
  while (info.step()) names.insert(info.text(0));
  return names;
}

std::vector<std::string> tables_with(store::Database& database, const std::string& schema,
                                     const std::string& column) {
  store::Statement found = database.prepare(
      "SELECT t.name FROM " + schema +
      ".sqlite_master t, pragma_table_info(t.name, ?) c WHERE t.type = 'table' AND c.name = ?");
  found.bind(1, std::string_view(schema));
  found.bind(2, std::string_view(column));
  std::vector<std::string> names;
  while (found.step()) names.push_back(found.text(0));
  return names;
}

// SQL expression of the merged time, with % for the column. Integer arithmetic except for the
// drift, which is small.
std::string time_expression(const RankPlacement& p) {
  const std::int64_t added = p.start_utc_ns - p.merged_utc_ns + p.shift.offset_ns;
  std::string sql = "% + " + std::to_string(added);
  if (p.shift.drift != 0) {
    char drift[40];
    std::snprintf(drift, sizeof drift, "%.17g", p.shift.drift);
    sql += " + CAST(round((% - " + std::to_string(p.shift.middle_ns - p.start_utc_ns) + ") * " +
           drift + ") AS INTEGER)";
  }
  return sql;
}

}  // namespace

TableCopier::TableCopier(store::Database& merged) : merged_(merged) {
  merged_.exec(
      "CREATE TEMP TABLE string_ids (old INTEGER PRIMARY KEY, new INTEGER);"
      "CREATE TEMP TABLE device_ids (old INTEGER PRIMARY KEY, new INTEGER);");
}

void TableCopier::copy(const std::string& file, const RankPlacement& placement) {
  time_ = time_expression(placement);
  machine_bits_ = placement.machine << 48;
  merged_.prepare("ATTACH DATABASE ? AS rank").run(std::string_view(file));
  merged_.exec("BEGIN; DELETE FROM temp.string_ids; DELETE FROM temp.device_ids;");
  copy_strings();
  copy_gpus(placement.machine);
  std::vector<std::string> tables;
  {
    store::Statement names = merged_.prepare(
        "SELECT name FROM rank.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\' AND name NOT LIKE 'ENUM\\_%' ESCAPE '\\'");
    while (names.step()) tables.push_back(names.text(0));
  }
  for (const std::string& table : tables) {
    const bool analysis =
        std::ranges::find(store::kAnalysisTables, table) != store::kAnalysisTables.end();
    if (!kNotCopied.contains(table) && !analysis) copy_table(table);
  }
  move_ids_past();
  merged_.exec("COMMIT");
  merged_.exec("DETACH DATABASE rank");
}

void TableCopier::copy_strings() {
  if (columns_of(merged_, "rank", "StringIds").empty()) return;
  create_like_ranks("StringIds");
  store::Statement all = merged_.prepare("SELECT id, value FROM rank.StringIds");
  store::Statement add = merged_.prepare("INSERT INTO main.StringIds (id, value) VALUES (?, ?)");
  store::Statement map = merged_.prepare("INSERT INTO temp.string_ids VALUES (?, ?)");
  while (all.step()) {
    const std::string text = all.text(1);
    const auto next = static_cast<std::int64_t>(strings_.size()) + 1;  // 0 means none
    const auto [at, added] = strings_.try_emplace(text, next);
    if (added) add.run(next, std::string_view(text));
    map.run(all.integer(0), at->second);
  }
}

// Ids number the GPUs visible to a process, so equal ids of two ranks may be different GPUs.
void TableCopier::copy_gpus(std::int64_t machine) {
  struct Gpu {
    std::int64_t id;
    std::string key;
    std::int64_t row;
  };
  std::map<std::int64_t, Gpu> gpus;
  if (!columns_of(merged_, "rank", "TARGET_INFO_GPU").empty()) {
    store::Statement rows = merged_.prepare("SELECT id, uuid, rowid FROM rank.TARGET_INFO_GPU");
    while (rows.step()) gpus[rows.integer(0)] = {rows.integer(0), rows.text(1), rows.integer(2)};
  }
  for (const std::string& table : tables_with(merged_, "rank", "deviceId")) {
    store::Statement used = merged_.prepare("SELECT DISTINCT deviceId FROM rank." + quoted(table) +
                                            " WHERE deviceId >= 0 AND deviceId <> " + kNoDevice);
    while (used.step()) gpus.try_emplace(used.integer(0), Gpu{used.integer(0), "", 0});
  }
  store::Statement map = merged_.prepare("INSERT INTO temp.device_ids VALUES (?, ?)");
  for (auto& [id, gpu] : gpus) {
    if (gpu.key.empty()) gpu.key = std::to_string(machine) + "/" + std::to_string(id);
    const auto taken = [&](std::int64_t candidate) {
      return std::any_of(devices_.begin(), devices_.end(),
                         [&](const auto& known) { return known.second == candidate; });
    };
    std::int64_t free = id;
    while (taken(free)) ++free;
    const auto [at, added] = devices_.try_emplace(gpu.key, free);
    map.run(id, at->second);
    if (!added || gpu.row == 0) continue;
    create_like_ranks("TARGET_INFO_GPU");
    merged_.exec(
        "INSERT INTO main.TARGET_INFO_GPU SELECT * FROM rank.TARGET_INFO_GPU WHERE rowid = " +
        std::to_string(gpu.row));
    merged_.exec("UPDATE main.TARGET_INFO_GPU SET id = " + std::to_string(at->second) +
                 " WHERE rowid = last_insert_rowid()");
  }
}

void TableCopier::create_like_ranks(const std::string& table) {
  if (!columns_of(merged_, "main", table).empty()) return;
  store::Statement create = merged_.prepare("SELECT sql FROM rank.sqlite_master WHERE name = ?");
  create.bind(1, std::string_view(table));
  if (create.step()) merged_.exec(create.text(0));
}

void TableCopier::copy_table(const std::string& table) {
  create_like_ranks(table);
  const Names merged_columns = columns_of(merged_, "main", table);
  std::string columns;
  std::string values;
  // Work annotations refer to ranges by their rowid.
  if (table == "NVTX_EVENTS") {
    columns = "rowid";
    values = "rowid + " + std::to_string(event_offset_);
  }
  for (const std::string& column : columns_of(merged_, "rank", table)) {
    if (!merged_columns.contains(column)) continue;
    columns += (columns.empty() ? "" : ", ") + quoted(column);
    values += (values.empty() ? "" : ", ") + expression(table, column);
  }
  merged_.exec("INSERT INTO main." + quoted(table) + " (" + columns + ") SELECT " + values +
               " FROM rank." + quoted(table));
}

std::string TableCopier::expression(const std::string& table, const std::string& column) const {
  const std::string q = quoted(column);
  const auto unless_zero = [&](std::int64_t added) {
    return "iif(" + q + " = 0, 0, " + q + " + " + std::to_string(added) + ")";
  };
  switch (store::column_kind(table, column)) {
    case store::ColumnKind::time: {
      std::string sql = time_;
      for (std::size_t at = sql.find('%'); at != std::string::npos;
           at = sql.find('%', at + q.size())) {
        sql.replace(at, 1, q);
      }
      return sql;
    }
    case store::ColumnKind::string:
      return "ifnull((SELECT new FROM temp.string_ids WHERE old = " + q + "), " + q + ")";
    case store::ColumnKind::process:
      return q + " | " + std::to_string(machine_bits_);
    case store::ColumnKind::machine:
      return std::to_string(machine_bits_ >> 48);
    case store::ColumnKind::device:
      return "ifnull((SELECT new FROM temp.device_ids WHERE old = " + q + "), " + q + ")";
    case store::ColumnKind::correlation:
      return unless_zero(correlation_offset_);
    case store::ColumnKind::domain:
      return unless_zero(domain_offset_);
    case store::ColumnKind::reading:
      return q + " + " + std::to_string(reading_offset_);
    case store::ColumnKind::event:
      return q + " + " + std::to_string(event_offset_);
    case store::ColumnKind::plain:
    case store::ColumnKind::pid:
      break;
  }
  return q;
}

// Ids of the next rank start after those of this rank.
void TableCopier::move_ids_past() {
  for (const std::string& table : tables_with(merged_, "main", "correlationId")) {
    correlation_offset_ =
        std::max(correlation_offset_,
                 single(merged_, "SELECT max(correlationId) FROM main." + quoted(table)));
  }
  if (merged_.has_table("MANSARD_COUNTER_READING")) {
    reading_offset_ = single(merged_, "SELECT max(id) FROM main.MANSARD_COUNTER_READING");
  }
  if (!merged_.has_table("NVTX_EVENTS")) return;
  event_offset_ = single(merged_, "SELECT max(rowid) FROM main.NVTX_EVENTS");
  domain_offset_ =
      std::max(domain_offset_, single(merged_, "SELECT max(domainId) FROM main.NVTX_EVENTS"));
}

}  // namespace mansard::collector
