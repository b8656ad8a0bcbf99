// SPDX-License-Identifier: Apache-2.0
// `--progress=json`: how far a command is, for programs that run it. One JSON object a line, on
// stderr among what is said there; docs/collector.md and docs/method-characterize.md name the keys.
#pragma once

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

namespace mansard::cli {

inline constexpr const char* kProgressKey = "mansard_progress";
inline constexpr int kProgressVersion = 1;

// `fields` and the version, in one write, so that no line of another process comes into it.
// Invalid UTF-8 in it becomes U+FFFD.
void write_progress_line(const nlohmann::json& fields);

// The last line of a command that has made a file.
void write_result_line(const std::filesystem::path& file);

}  // namespace mansard::cli
