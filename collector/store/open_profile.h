// SPDX-License-Identifier: Apache-2.0
// Opens a profile for reading wherever it lies: still being written, left by a killed process, or
// in a folder that cannot be written. No file is created, changed or deleted.
#pragma once

#include <filesystem>
#include <string>

#include "collector/store/sqlite.h"

namespace mansard::store {

struct OpenedProfile {
  LogLock log;
  Database database;
  std::string name;  // as another connection to the same takes it, while this object lives
  // The process that was recording has gone without closing the file: it is interrupted, whatever
  // its state says.
  bool abandoned = false;
};

// Throws std::runtime_error that says what is wrong with `file` and what to do.
OpenedProfile open_profile(const std::filesystem::path& file);

}  // namespace mansard::store
