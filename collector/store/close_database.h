// SPDX-License-Identifier: Apache-2.0
// Closes a profile: called by its writer, or by a process that finds that the writer has died.
#pragma once

#include <filesystem>

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

// Records `state` and folds the write-ahead log into the file.
void close_database(Database& database, RecordingState state);

// Whether the state of `database` is "recording", and whether it is although its process has ended.
bool is_recording(Database& database);
bool is_abandoned(Database& database);

// Whether a process is currently recording to `file`. False if the file is not a profile.
bool is_being_recorded(const std::filesystem::path& file);

enum class Repair {
  closed,          // its process had ended: now interrupted, and a single file
  folded,          // was complete; its log is now merged into it
  complete,        // nothing to do
  being_recorded,  // not changed
  being_read,      // complete; its log stays until no process reads it
  not_ours,        // not written by Mansard; not changed
};

// The only function that changes a profile written by another process. Throws std::runtime_error if
// `file` is not a profile, has a rollback journal (SQLite would replay it, and delete the files
// that it names), or cannot be written.
Repair repair_profile(const std::filesystem::path& file);

}  // namespace mansard::store
