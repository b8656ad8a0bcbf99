// SPDX-License-Identifier: Apache-2.0
// Where an export's bytes go as they are made: nothing of them is kept.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace mansard::reports {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // These throw std::runtime_error that says what could not be written, and why.
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;  // all is written, or else it throws; call it once
};

// A file, packed with gzip if `packed`. Throws std::runtime_error when it cannot be created, or is
// to be packed and this build has no zlib.
std::unique_ptr<ByteSink> open_file_sink(const std::filesystem::path& file, bool packed);

std::unique_ptr<ByteSink> standard_output_sink();

// By its name.
bool is_packed_name(const std::filesystem::path& file);

}  // namespace mansard::reports
