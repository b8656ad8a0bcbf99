// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a file sequentially; decompresses gzip files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace mansard::collector {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads up to `size` bytes; returns 0 at the end. A truncated or damaged gzip file ends where
  // decompression fails, and failure() reports it.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // Bytes read from the file on disk, for progress.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::string failure() const { return ""; }
};

// Throws std::runtime_error that names the file if it cannot be read.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

}  // namespace mansard::collector
