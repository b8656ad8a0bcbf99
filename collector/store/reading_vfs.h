// SPDX-License-Identifier: Apache-2.0
// SQLite VFS that open database files read-only, and create, change and delete nothing. A
// write-ahead log is read with its index in memory; a rollback journal is not replayed, and fails
// with SQLITE_CANTOPEN.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mansard::store {

enum class Reading {
  rollback,  // honors the locks of the file's writer
  log,       // with a write-ahead log whose writer has ended: takes no locks
  alone,     // in WAL mode, but without a log: takes no locks
};

// Returns the name with which Database opens `file` in this way.
std::string reading_uri(const std::filesystem::path& file, Reading reading);

bool is_reading_uri(std::string_view name);
// Whether `name` is a reading_uri() that takes no locks.
bool reads_without_locks(std::string_view name);

}  // namespace mansard::store
