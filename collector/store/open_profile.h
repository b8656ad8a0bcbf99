// SPDX-License-Identifier: Apache-2.0
// Opens a profile for reading, also if it is still being written, was left by a killed process, or
// is in a read-only folder. No file is created, changed or deleted.
#pragma once

#include <filesystem>
#include <string>

#include "collector/store/sqlite.h"

namespace mansard::store {

struct OpenedProfile {
  LogLock log;
  Database database;
  std::string name;  // for opening another connection, valid while this object exists
  // The recording process has ended without closing the file, so it is interrupted, whatever its
  // state says.
  bool abandoned = false;
};

// Throws std::runtime_error that says what is wrong with `file`, and how to fix it.
OpenedProfile open_profile(const std::filesystem::path& file);

}  // namespace mansard::store
