// SPDX-License-Identifier: Apache-2.0
// Writes the output files of commands. Existing files are replaced only with -f, and only when the
// new content is complete; links are followed, and permissions are kept. FIFOs and terminals are
// written to without -f.
#pragma once

#include <filesystem>
#include <string_view>

#include "support/files.h"

namespace mansard::cli {

// Throws std::runtime_error if `file` exists and `force` is false (the error names -f), or if the
// folder does not exist or is not writable. Call before any other work.
void require_writable(const std::filesystem::path& file, bool force,
                      OutputKind kind = OutputKind::text);

// Returns true if `file` is the destination of standard output, such as /dev/stdout.
bool is_standard_output(const std::filesystem::path& file);

// Writes `content`. Throws std::runtime_error, also in the cases of require_writable().
void write_file(const std::filesystem::path& file, std::string_view content, bool force);

}  // namespace mansard::cli
