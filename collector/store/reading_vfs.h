// SPDX-License-Identifier: Apache-2.0
// Views of SQLite's file system that open the files of databases read-only, and create, change and
// delete nothing. A write-ahead log is read with its index in memory; a rollback journal is not
// played, and fails with SQLITE_CANTOPEN.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mansard::store {

enum class Reading {
  rollback,  // honors the locks of who writes the file
  log,       // with a write-ahead log beside it, whose writer has gone: takes no locks
  alone,     // written with a log, but has none: takes no locks
};

// The name by which Database opens `file` so.
std::string reading_uri(const std::filesystem::path& file, Reading reading);

bool is_reading_uri(std::string_view name);
// Whether `name` is a reading_uri() that takes no locks.
bool reads_without_locks(std::string_view name);

}  // namespace mansard::store
