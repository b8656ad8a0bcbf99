// SPDX-License-Identifier: Apache-2.0
// What a file is by its content, so that a file given by mistake is answered with what to do.
#pragma once

#include <filesystem>
#include <string>

namespace mansard::store {

enum class FileFormat {
  sqlite,        // a recording, or an export of Nsight Systems
  kineto_trace,  // PyTorch's profiler, or another writer of Chrome's trace events
  gzip,          // of what, only unpacking tells
  ncu_csv,       // Nsight Compute's --csv
  ncu_report,    // .ncu-rep
  nsys_report,   // .nsys-rep, .qdrep, .qdstrm
  json,          // but no trace
  empty,
  unknown,
};

// Reads the file's beginning; its ending decides only for reports, which have no text to tell them
// by. Throws std::runtime_error when it is missing, no file, or cannot be read.
FileFormat recognize_format(const std::filesystem::path& file);

// The same of the beginning of a file's text.
FileFormat recognize_text(std::string_view head);

// Why `file` is no recording that can be opened, and what to do about it: "is a ...; run `...`".
// Empty for FileFormat::sqlite.
std::string why_not_a_recording(const std::filesystem::path& file, FileFormat format);

}  // namespace mansard::store
