// SPDX-License-Identifier: Apache-2.0
#include "collector/store/close_database.h"

#include <optional>
#include <string>

#include "collector/store/open_profile.h"
#include "collector/store/profile_writer.h"
#include "support/process.h"

namespace mansard::store {
namespace {

// A writer on another machine updates its heartbeat every 10 s; the rest allows for clock
// differences between hosts.
constexpr std::int64_t kHeartbeatLost_ns = 120'000'000'000;

}  // namespace

void close_database(Database& database, RecordingState state) {
  database.exec("BEGIN IMMEDIATE");
  database.prepare("UPDATE MANSARD_STATE SET state = ?, heartbeatUtcNs = ?")
      .run(to_string(state), utc_now_ns());
  database.exec("COMMIT");
  try {
    // Leave a single file that can be copied, and opened in a read-only folder.
    database.fold_log();
  } catch (const SqliteError&) {
    // On a full disk, the log stays beside the file and is read with it.
  }
}

bool is_recording(Database& database) {
  if (!database.has_table("MANSARD_STATE")) return false;
  Statement row = database.prepare("SELECT state FROM MANSARD_STATE");
  return row.step() && row.text(0) == to_string(RecordingState::recording);
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

bool is_being_recorded(const std::filesystem::path& file) {
  try {
    OpenedProfile profile = open_profile(file);
    return is_recording(profile.database) && !profile.abandoned;
  } catch (const std::runtime_error&) {
    return false;
  }
}

Repair repair_profile(const std::filesystem::path& file) {
  bool abandoned = false;
  {
    OpenedProfile profile = open_profile(file);
    if (!profile.database.has_table("MANSARD_STATE")) return Repair::not_ours;
    abandoned = profile.abandoned;
    if (is_recording(profile.database) && !abandoned) return Repair::being_recorded;
  }
  if (!abandoned && !std::filesystem::exists(file.string() + "-wal")) return Repair::complete;
  std::error_code missing;
  if (std::filesystem::exists(file.string() + "-journal", missing)) {
    throw std::runtime_error(file.string() +
                             ": has a rollback journal (-journal), which Mansard does not write. "
                             "Move it away if it does not belong to this profile.");
  }
  Database database(file.string(), Database::Access::read_write);
  database.write_through_log();
  if (abandoned) {
    close_database(database, RecordingState::interrupted);
    return Repair::closed;
  }
  return database.fold_log() ? Repair::folded : Repair::being_read;
}

}  // namespace mansard::store
