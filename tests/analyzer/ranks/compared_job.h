// SPDX-License-Identifier: Apache-2.0
// The comparison of a synthetic job, whose profiles are written, summarized and removed.
#pragma once

#include <functional>

#include "analyzer/ranks/collect_summaries.h"
#include "tests/analyzer/ranks/rank_profiles.h"
#include "tests/support/scratch.h"

namespace mansard::test {

using Files = std::vector<std::filesystem::path>;

inline analysis::JobRanks compared(const Files& files) {
  return analysis::compare_ranks(analysis::collect_summaries(files, {}).sources);
}

// `change` may remove files or write others.
inline analysis::JobRanks compared(
    const JobScenario& scenario,
    const std::function<void(const std::filesystem::path& folder, Files&)>& change = {}) {
  const Scratch scratch;
  Files files = SyntheticJob(scenario).write_all(scratch.folder());
  if (change) change(scratch.folder(), files);
  return compared(files);
}

// Texts of the problems of this kind, one per line.
inline std::string problems_of(const analysis::JobRanks& job, analysis::ProblemKind kind) {
  std::string text;
  for (const analysis::JobProblem& problem : job.problems) {
    if (problem.kind != kind) continue;
    text += analysis::ranks_text(problem.ranks) + ": " + problem.text + "\n";
  }
  return text;
}

}  // namespace mansard::test
