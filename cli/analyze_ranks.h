// SPDX-License-Identifier: Apache-2.0
// `mansard analyze` for the profiles of a job's ranks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mansard::cli {

struct AnalyzeRanksOptions {
  std::vector<std::filesystem::path> files;
  std::string rules;
  std::string step_range;
  std::string summaries;  // folder; empty: none are written
  bool merge = false;     // also if this process is one of several tasks
  int jobs = 0;           // 0: one per processor
  std::string format = "table";
  bool all = false;
  int rows = 20;
  std::string output;
  bool force = false;
};

// Files named by `arguments`: a name with *, ? or [ that is not a file is a pattern. Sorted so that
// numbers in names ascend, without duplicates. Throws UsageError for a pattern without a match.
std::vector<std::filesystem::path> expand_files(const std::vector<std::string>& arguments);

// Whether `arguments` are analyzed as ranks: several files, or a summary.
bool are_ranks(const std::vector<std::filesystem::path>& files);

// Returns the exit code.
int analyze_ranks_command(const AnalyzeRanksOptions& options);

}  // namespace mansard::cli
