// SPDX-License-Identifier: Apache-2.0
// A check that every reader makes of a file that somebody else may have made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "kernels/vocabulary/units.h"

namespace mansard {

// Throws std::runtime_error that begins with `what` ("machine model 'a.json'") unless `file` is a
// regular file of at most `most_bytes`. Reading a pipe may wait forever, and a device never ends.
inline void require_input_file(const std::filesystem::path& file, const std::string& what,
                               std::uintmax_t most_bytes = UINTMAX_MAX) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw std::runtime_error(what + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw std::runtime_error(what + " is a folder; name the file in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw std::runtime_error(what +
                             " is not a regular file, but a pipe, socket or device. Write "
                             "its content to a file and name that");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > most_bytes) {
    throw std::runtime_error(what + " has " + format_capacity(static_cast<double>(bytes)) +
                             "; at most " + format_capacity(static_cast<double>(most_bytes)) +
                             " are read");
  }
}

}  // namespace mansard
