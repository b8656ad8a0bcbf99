// SPDX-License-Identifier: Apache-2.0
// The bytes of a file from its beginning to its end, unpacked if it is packed with gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace mansard::collector {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` bytes; 0 at the end. A packed file that is cut short or damaged ends where it
  // cannot be unpacked any further, and failure() says so.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // Of the file as it lies on disk: how much was read, for progress.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::string failure() const { return ""; }
};

// Throws std::runtime_error that names the file: it cannot be read, or is packed and this build has
// no zlib.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

}  // namespace mansard::collector
