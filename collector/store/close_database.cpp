// SPDX-License-Identifier: Apache-2.0
#include "collector/store/close_database.h"

#include <optional>
#include <string>

#include "collector/store/profile_writer.h"
#include "collector/store/recording_process.h"

namespace mansard {
namespace {

// A writer on another machine updates its heartbeat every 10 s; clocks of two hosts agree to less
// than the rest.
constexpr std::int64_t kHeartbeatLost_ns = 120'000'000'000;

}  // namespace

void close_database(Database& database, RecordingState state) {
  database.exec("BEGIN IMMEDIATE");
  database.prepare("UPDATE MANSARD_STATE SET state = ?, heartbeatUtcNs = ?")
      .run(to_string(state), utc_now_ns());
  database.exec("COMMIT");
  try {
    // Leaves a single file, which can be copied and opened in a read-only folder.
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
  } catch (const SqliteError&) {
    // Somebody is reading: the log is then folded in when the last connection closes.
  }
}

bool is_abandoned(Database& database) {
  if (!database.has_table("MANSARD_STATE")) return false;
  Statement row = database.prepare(
      "SELECT state, pid, processStartTime, processScope, heartbeatUtcNs FROM MANSARD_STATE");
  if (!row.step() || row.text(0) != to_string(RecordingState::recording)) return false;
  const std::optional<bool> alive = is_alive({row.integer(1), row.integer(2), row.text(3)});
  if (alive) return !*alive;
  return utc_now_ns() - row.integer(4) > kHeartbeatLost_ns;
}

bool close_if_abandoned(const std::filesystem::path& file) {
  Database database(file.string(), Database::Access::read_write);
  if (!is_abandoned(database)) return false;
  close_database(database, RecordingState::interrupted);
  return true;
}

}  // namespace mansard
