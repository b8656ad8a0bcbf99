// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>

#include "collector/store/read_tables.h"
#include "collector/store/schema.h"

namespace mansard {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

template <class T>
T number(const Values& values, std::string_view name, T otherwise) {
  const auto at = values.find(name);
  if (at == values.end()) return otherwise;
  T value = otherwise;
  std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
  return value;
}

std::string text(const Values& values, std::string_view name) {
  const auto at = values.find(name);
  return at == values.end() ? std::string() : at->second;
}

Values read_values(Database& database, std::string_view table) {
  Values values;
  Statement row = select(database, table, {"name", "value"});
  while (row.step()) values.emplace(row.text(0), row.text(1));
  return values;
}

void read_own(Database& database, SessionInfo& session) {
  Statement state = select(database, "MANSARD_STATE", {"state"});
  session.state = RecordingState::interrupted;  // no row: died before its first commit
  if (state.step()) {
    for (const RecordingState s : {RecordingState::recording, RecordingState::complete}) {
      if (state.text(0) == to_string(s)) session.state = s;
    }
  }
  const Values values = read_values(database, "MANSARD_SESSION");
  if (const int version = number(values, "schemaVersion", 0); version > kStoreSchemaVersion) {
    throw std::runtime_error("was written by a newer Mansard (" + text(values, "mansardVersion") +
                             ", store version " + std::to_string(version) +
                             "; this one reads up to " + std::to_string(kStoreSchemaVersion) +
                             "). Use that version to read it.");
  }
  session.command = text(values, "command");
  session.host = text(values, "host");
  session.cpu_name = text(values, "cpuName");
  session.cpu_cores = number(values, "cpuCores", 0);
  session.pid = number(values, "pid", std::int64_t{0});
  session.rank = number(values, "rank", -1);
  session.mansard_version = text(values, "mansardVersion");
  session.driver_version = text(values, "driverVersion");
  session.window_request = text(values, "windowRequest");
  Statement window = select(database, "MANSARD_WINDOW", {"start", "end"}, "start");
  while (window.step()) {
    session.windows.push_back({window.integer(0), window.is_null(1) ? -1 : window.integer(1)});
  }
  session.dropped_events = number(values, "droppedNvtxEvents", std::int64_t{0}) +
                           number(values, "droppedCuptiRecords", std::int64_t{0});
}

// What can be known of a run recorded by Nsight Systems.
void read_foreign(Database& database, SessionInfo& session) {
  session.host = text(read_values(database, "TARGET_INFO_SYSTEM_ENV"), "Hostname");
  Statement process = select(database, "PROCESSES", {"pid", "name"});
  if (process.step()) {
    session.pid = process.integer(0);
    session.command = process.text(1);
  }
}

}  // namespace

void read_session(Database& database, Profile& profile) {
  Statement start = select(database, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (start.step()) profile.session.start_utc_ns = start.integer(0);
  if (database.has_table("MANSARD_STATE")) {
    read_own(database, profile.session);
  } else {
    read_foreign(database, profile.session);
  }
}

}  // namespace mansard
