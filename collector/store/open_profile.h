// SPDX-License-Identifier: Apache-2.0
// Opens a recording for reading wherever it lies: still being written, left by a killed process, or
// in a folder that cannot be written.
#pragma once

#include <filesystem>
#include <memory>

#include "collector/store/sqlite.h"

namespace mansard {

struct OpenedProfile {
  Database database;
  std::string name;  // as another connection to the same takes it
  // Set when the process that was recording has gone but the file could not be told so.
  bool abandoned = false;
  // A private copy that is removed with this object; empty when `database` is the file itself.
  std::shared_ptr<const std::filesystem::path> copy;
};

// Throws std::runtime_error that says what is wrong with `file` and what to do.
OpenedProfile open_profile(const std::filesystem::path& file);

}  // namespace mansard
