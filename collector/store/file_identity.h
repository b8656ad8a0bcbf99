// SPDX-License-Identifier: Apache-2.0
// Identifies a file apart from its names and descriptors, as long as it exists.
#pragma once

#include <filesystem>
#include <optional>

#include <sys/stat.h>

namespace mansard {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Returns null if the descriptor is not open, or the path does not exist or cannot be read. Follows
// links. Async-signal-safe for descriptors.
inline std::optional<FileIdentity> file_identity(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

inline std::optional<FileIdentity> file_identity(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

}  // namespace mansard
