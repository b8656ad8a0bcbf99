// SPDX-License-Identifier: Apache-2.0
// The name of the file that a process records to. In a pattern stand
//   %h  host name          %p  process id        %%  a percent sign
//   %r  rank in the job, 0 outside of one        %q{NAME}  environment variable NAME
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mansard::collector {

// Set by torchrun, Slurm, Open MPI, PMIx, PMI or MVAPICH; empty outside of a multi-rank job.
std::optional<int> rank_of_environment();

std::string host_name();

// A relative name is one in `folder`. Throws std::runtime_error on anything else after a percent
// sign.
std::filesystem::path expand_output_pattern(const std::string& pattern, std::int64_t pid,
                                            const std::filesystem::path& folder = {});

// False if the pattern names a variable that is not set in this process: the program may set it.
bool can_be_expanded_here(const std::string& pattern);

// "run.4711.sqlite" for run.sqlite: what a second process writes to that was given the same name.
std::filesystem::path with_pid(const std::filesystem::path& file, std::int64_t pid);

}  // namespace mansard::collector
