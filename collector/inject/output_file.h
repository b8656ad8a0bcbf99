// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace mansard {

// Creates the file that process `pid` records to, never one that exists: if another process has
// taken the name, NAME.<pid>.sqlite. Throws std::runtime_error.
std::filesystem::path create_output_file(const std::string& pattern, std::int64_t pid);

// Adds a line with `file` to the list through which the launcher learns what was recorded.
void announce_output_file(const std::filesystem::path& file, const std::string& list);

}  // namespace mansard
