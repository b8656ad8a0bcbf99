// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace mansard::collector {

// Creates the file that process `pid` records to and never overwrites one: if another process has
// taken the name, uses NAME.<pid>.sqlite. Throws std::runtime_error.
std::filesystem::path create_output_file(const std::filesystem::path& file, std::int64_t pid);

}  // namespace mansard::collector
