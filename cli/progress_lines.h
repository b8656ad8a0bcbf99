// SPDX-License-Identifier: Apache-2.0
// `--progress=json`: progress for programs that run a command. One JSON object per line on stderr,
// among other messages; docs/collector.md and docs/method-characterize.md describe the keys.
#pragma once

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

namespace mansard::cli {

inline constexpr const char* kProgressKey = "mansard_progress";
inline constexpr int kProgressVersion = 1;

// Writes `fields` and the version in one write(), so that lines of other processes cannot
// interleave. Invalid UTF-8 becomes U+FFFD.
void write_progress_line(const nlohmann::json& fields);

// Writes the last line of a command that has written `file`.
void write_result_line(const std::filesystem::path& file);

}  // namespace mansard::cli
