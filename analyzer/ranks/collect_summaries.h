// SPDX-License-Identifier: Apache-2.0
// Summarizes the profiles of a job's ranks: each is loaded, analyzed and freed before the next, by
// several threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/ranks/job_ranks.h"

namespace mansard::analysis {

struct SummaryOptions {
  const KernelRules* rules = nullptr;  // nullptr: the built-in ones
  std::string rules_text = {};         // of the file that `rules` are from
  std::string step_range = {};
  // Summaries are written to this folder, and not made again if the file's size, time and the
  // options are those of an existing one. Empty: none are written.
  std::filesystem::path folder = {};
  int jobs = 1;                                                          // profiles at a time
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // never concurrently
  // Polled between profiles and while one is loaded; null: cannot be canceled.
  const std::atomic<bool>* canceled = nullptr;
};

struct CollectedRanks {
  std::vector<RankSource> sources;  // as the files
  std::size_t reused = 0;           // summaries that existed
  std::size_t written = 0;
};

// `files`: profiles, or summaries (summary_file.h). What cannot be summarized is reported in
// RankSource::problem. A profile for which there is not enough memory beside the others is analyzed
// alone, at the end. Throws std::runtime_error if a summary cannot be written, and
// store::LoadCanceled.
CollectedRanks collect_summaries(const std::vector<std::filesystem::path>& files,
                                 const SummaryOptions& options);

}  // namespace mansard::analysis
