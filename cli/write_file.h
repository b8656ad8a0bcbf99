// SPDX-License-Identifier: Apache-2.0
// Files that commands write. Existing files are replaced only with -f and only once the new content
// is complete; links are followed, and permissions are kept. FIFOs and terminals are written into
// and need no -f.
#pragma once

#include <filesystem>
#include <string_view>

#include "support/files.h"

namespace mansard::cli {

// Throws std::runtime_error naming -f when `file` exists and `force` is false, and when the
// folder does not exist or cannot be written. Call before doing any work.
void require_writable(const std::filesystem::path& file, bool force,
                      OutputKind kind = OutputKind::text);

// Whether this names what standard output goes to already: /dev/stdout.
bool is_standard_output(const std::filesystem::path& file);

// All of it at once. Throws std::runtime_error, also where require_writable() would.
void write_file(const std::filesystem::path& file, std::string_view content, bool force);

}  // namespace mansard::cli
