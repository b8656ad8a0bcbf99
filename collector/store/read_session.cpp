// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "collector/store/global_ids.h"
#include "collector/store/read_tables.h"
#include "collector/store/schema.h"

namespace mansard::store {
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
  session.imported_from = text(values, "importedFrom");
  session.driver_version = text(values, "driverVersion");
  session.window_request = text(values, "windowRequest");
  RowIds ids(database);
  session.windows = read_all<RecordedWindow>(database, ids, "start");
  session.dropped_events = number(values, "droppedNvtxEvents", std::int64_t{0}) +
                           number(values, "droppedCuptiRecords", std::int64_t{0});
}

// Returns the process that used the GPU, else the one with ranges: an export lists all processes of
// the machine.
std::optional<std::int64_t> traced_process(Database& database) {
  constexpr std::pair<const char*, const char*> kTraces[] = {
      {"CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"},
      {"CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"},
      {"NVTX_EVENTS", "globalTid"}};
  for (const auto& [table, column] : kTraces) {
    Statement row = select(database, table, {column});
    if (row.step() && !row.is_null(0)) return pid_of(row.integer(0));
  }
  return std::nullopt;
}

// Returns the command given to nsys; "" for older exports, and if nsys attached to a running
// program.
std::string traced_command(const Values& capture) {
  std::string command = text(capture, "PROCESS_0:COMMAND");
  for (int i = 0; !command.empty(); ++i) {
    const auto argument = capture.find("PROCESS_0:ARGUMENT_" + std::to_string(i));
    if (argument == capture.end()) break;
    command += ' ' + argument->second;
  }
  return command;
}

// Reads what an Nsight Systems export contains about the run.
void read_foreign(Database& database, SessionInfo& session) {
  const Values system = read_values(database, "TARGET_INFO_SYSTEM_ENV");
  session.host = text(system, "Hostname");
  session.cpu_name = text(system, "CpuDescription");
  session.cpu_cores = number(system, "CpuCores", 0);
  session.driver_version = text(system, "NvDriverVersion");
  session.command = traced_command(read_values(database, "META_DATA_CAPTURE"));
  const std::optional<std::int64_t> traced = traced_process(database);
  session.pid = traced.value_or(0);
  Statement process = select(database, "PROCESSES", {"pid", "name"});
  while (process.step()) {
    if (traced && process.integer(0) != *traced) continue;
    session.pid = process.integer(0);
    if (session.command.empty()) session.command = process.text(1);
    break;
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

}  // namespace mansard::store
