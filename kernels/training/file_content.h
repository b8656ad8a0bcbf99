// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace mansard::kernels {

// The bytes of a regular file, for random access by several threads. A file of 64 KiB or more is
// mapped into memory. A smaller one is copied, because a process may have only 65,530 mappings by
// default and a folder of text may contain more files.
//
// The bytes stay available if the file is deleted or replaced by another file of its name. If a
// mapped file is overwritten in place, read() returns the new bytes.
class FileContent {
 public:
  static constexpr std::size_t kMappedBytes = std::size_t{64} << 10;

  // Throws std::runtime_error if the file cannot be read.
  explicit FileContent(const std::filesystem::path& file);
  ~FileContent();
  FileContent(FileContent&& other) noexcept;
  FileContent& operator=(FileContent&&) = delete;

  std::size_t bytes() const { return bytes_; }

  // Copies `count` bytes from offset `at` to `to`; at + count must not exceed bytes(). Returns
  // false if a mapped file has been truncated since, or its device fails. If a sandbox forbids
  // process_vm_readv(), these two raise SIGBUS instead.
  bool read(std::size_t at, std::size_t count, void* to) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mansard::kernels
