// SPDX-License-Identifier: Apache-2.0
#include "collector/store/recording_summary.h"

#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"
#include "collector/store/schema.h"

namespace mansard::store {
namespace {

std::int64_t rows_of(Database& database, const std::string& query) {
  Statement row = database.prepare("SELECT count(*) FROM " + query);
  return row.step() ? row.integer(0) : 0;
}

std::int64_t count(Database& database, const std::string& table, const std::string& where = "1") {
  return database.has_table(table) ? rows_of(database, table + " WHERE " + where) : 0;
}

std::int64_t launch_time(Database& database) {
  if (!database.has_table("MANSARD_SESSION")) return 0;
  Statement row =
      database.prepare("SELECT CAST(value AS INTEGER) FROM MANSARD_SESSION WHERE name = ?");
  row.bind(1, kLaunchTime);
  return row.step() ? row.integer(0) : 0;
}

// Every reading without a name is of a graph.
std::int64_t counted_kernels(Database& database) {
  if (!database.has_table("MANSARD_COUNTER_READING")) return 0;
  return rows_of(database,
                 "(SELECT DISTINCT demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, "
                 "dynamicSharedMemory, CASE WHEN coalesce(demangledName, 0) = 0 THEN id END "
                 "FROM MANSARD_COUNTER_READING)");
}

double pause_s(Database& database) {
  if (!database.has_table("MANSARD_PAUSE")) return 0;
  Statement row = database.prepare("SELECT total(\"end\" - start) FROM MANSARD_PAUSE");
  return row.step() ? 1e-9 * row.real(0) : 0;
}

}  // namespace

ProfileSummary summarize_profile(const std::filesystem::path& file) {
  OpenedProfile opened = open_profile(file);
  Database& database = opened.database;
  database.exec("BEGIN");
  Profile head;
  read_session(database, head);
  ProfileSummary summary;
  summary.state = opened.abandoned ? RecordingState::interrupted : head.session.state;
  summary.launch_utc_ns = launch_time(database);
  summary.kernels = count(database, "CUPTI_ACTIVITY_KIND_KERNEL");
  summary.copies =
      count(database, "CUPTI_ACTIVITY_KIND_MEMCPY") + count(database, "CUPTI_ACTIVITY_KIND_MEMSET");
  summary.graphs = count(database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  summary.ranges = count(database, "NVTX_EVENTS", "eventType IN (34, 59, 60)");
  summary.annotated_ranges = count(database, "MANSARD_WORK");
  summary.counter_readings = count(database, "MANSARD_COUNTER_READING");
  summary.counted_kernels = counted_kernels(database);
  summary.pause_s = pause_s(database);
  summary.dropped_events = head.session.dropped_events;
  summary.windows = describe_windows(head.session);
  return summary;
}

}  // namespace mansard::store
