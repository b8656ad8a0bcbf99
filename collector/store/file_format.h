// SPDX-License-Identifier: Apache-2.0
// Detects a file's format by content, so that errors about a wrong file can say what to do.
#pragma once

#include <filesystem>
#include <string>

namespace mansard::store {

enum class FileFormat {
  sqlite,        // a profile, or an export of Nsight Systems
  kineto_trace,  // PyTorch's profiler, or another writer of Chrome's trace events
  gzip,          // contents unknown until decompressed
  ncu_csv,       // Nsight Compute's --csv
  ncu_report,    // .ncu-rep
  nsys_report,   // .nsys-rep, .qdrep, .qdstrm
  json,          // but not a trace
  empty,
  unknown,
};

// Reads the start of the file; the file name extension matters only for reports, which have no
// recognizable text. Throws std::runtime_error if the file is missing, not a regular file, or
// cannot be read.
FileFormat recognize_format(const std::filesystem::path& file);

// Detects the format from the first bytes of a file.
FileFormat recognize_text(std::string_view head);

// Explains why `file` cannot be opened as a profile, and what to do: "is a ...; run `...`". Empty
// for FileFormat::sqlite.
std::string why_not_a_profile(const std::filesystem::path& file, FileFormat format);

}  // namespace mansard::store
