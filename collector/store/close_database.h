// SPDX-License-Identifier: Apache-2.0
// The end of a recording's file: by its writer, or by whoever finds that the writer has died.
#pragma once

#include <filesystem>

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"

namespace mansard {

// Records `state` and folds the write-ahead log into the file.
void close_database(Database& database, RecordingState state);

// If `file` says "recording" but its process has gone: closes it as interrupted. Returns whether it
// did. Throws SqliteError when the file cannot be written.
bool close_if_abandoned(const std::filesystem::path& file);

// Whether `database` says "recording" although its process has gone.
bool is_abandoned(Database& database);

}  // namespace mansard
