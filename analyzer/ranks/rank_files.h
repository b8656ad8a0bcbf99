// SPDX-License-Identifier: Apache-2.0
// Which files are the ranks of a job.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mansard::analysis {

// Files named by `arguments`: a name with *, ? or [ that is not a file is a pattern. Sorted so that
// numbers in names ascend, without duplicates. Throws std::runtime_error for a pattern without a
// match.
std::vector<std::filesystem::path> expand_rank_files(const std::vector<std::string>& arguments);

// The summaries (summary_file.h) in a folder or, without any, its profiles (*.sqlite). Sorted as
// above. Throws std::runtime_error if there are none, or the folder cannot be read.
std::vector<std::filesystem::path> rank_files_in(const std::filesystem::path& folder);

// Whether the files are the ranks of one job: one of them is a summary, or two are profiles of
// different ranks. Reads only until that is known. Files that cannot be read count as neither.
bool are_files_of_job(const std::vector<std::filesystem::path>& files);

}  // namespace mansard::analysis
