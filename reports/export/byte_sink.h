// SPDX-License-Identifier: Apache-2.0
// Output of an export. Bytes are written as they are produced.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace mansard::reports {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // These throw std::runtime_error with the file and the reason.
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;  // flushes, and throws if that fails; call it once
};

// Creates a file, compressed with gzip if `packed`. Throws std::runtime_error if it cannot be
// created.
std::unique_ptr<ByteSink> open_file_sink(const std::filesystem::path& file, bool packed);

std::unique_ptr<ByteSink> standard_output_sink();

// Whether the file name requests compression.
bool is_packed_name(const std::filesystem::path& file);

}  // namespace mansard::reports
