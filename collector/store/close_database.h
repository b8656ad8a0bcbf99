// SPDX-License-Identifier: Apache-2.0
// The end of a recording's file: by its writer, or by whoever finds that the writer has died.
#pragma once

#include <filesystem>

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

// Records `state` and folds the write-ahead log into the file.
void close_database(Database& database, RecordingState state);

// Whether `database` says "recording", and whether it says so although its process has gone.
bool is_recording(Database& database);
bool is_abandoned(Database& database);

// Whether a process is recording to `file` now. False for what is not a profile.
bool is_being_recorded(const std::filesystem::path& file);

enum class Repair {
  closed,          // its process has gone: now interrupted, and one file
  folded,          // complete, and its log is now part of it
  complete,        // nothing to do
  being_recorded,  // not changed
  being_read,      // complete; its log stays beside it until nobody reads it
  not_ours,        // not written by Mansard; not changed
};

// The only function that changes a profile which others have written. Throws std::runtime_error if
// `file` is not a profile, has a rollback journal (SQLite would play it, and delete the files that
// it names), or cannot be written.
Repair repair_profile(const std::filesystem::path& file);

}  // namespace mansard::store
