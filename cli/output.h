// SPDX-License-Identifier: Apache-2.0
// The conventions every command keeps: data on stdout, talk on stderr, nothing overwritten.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

// Throws std::runtime_error naming -f when `file` exists and `force` is false, and when the
// folder does not exist or cannot be written. Call before doing any work.
void require_writable(const std::filesystem::path& file, bool force);

// Writes to a temporary beside `file` and renames: a reader never sees half a file.
void write_file(const std::filesystem::path& file, std::string_view content, bool force);

// Columns for a table on stdout: the terminal's; of a pipe or file COLUMNS or else 160, which is what
// the widest tables need.
int output_width();

// On stderr, "mansard: ..." ; `next` also names a command the user may want to run now.
void say(std::string_view message);
void suggest_next(std::string_view command);

// The closest of `known` to a mistyped `word`, as " Did you mean 'x'?"; empty when none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace mansard
