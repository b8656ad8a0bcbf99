// SPDX-License-Identifier: Apache-2.0
// The name of the file that a process records to. Placeholders of a pattern:
//   %h  host name          %p  process id        %%  a percent sign
//   %r  rank in the job, 0 outside of one        %q{NAME}  environment variable NAME
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace mansard::collector {

std::string host_name();

// Relative names are resolved in `folder`. Throws std::runtime_error for any other character after
// a percent sign.
std::filesystem::path expand_output_pattern(const std::string& pattern, std::int64_t pid,
                                            const std::filesystem::path& folder = {});

// A shell pattern that matches the files of all processes: "run-%r.sqlite" -> "run-*.sqlite".
std::string glob_of_output_pattern(const std::string& pattern);

// Returns false if the pattern names a variable that is not set in this process (the program may
// set it).
bool can_be_expanded_here(const std::string& pattern);

// Returns "run.4711.sqlite" for run.sqlite: the file of a second process with the same output name.
std::filesystem::path with_pid(const std::filesystem::path& file, std::int64_t pid);

}  // namespace mansard::collector
