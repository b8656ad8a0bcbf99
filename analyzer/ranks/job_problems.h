// SPDX-License-Identifier: Apache-2.0
// Finds what is incomplete or unequal among the ranks of a job.
#pragma once

#include <vector>

#include "analyzer/ranks/job_ranks.h"

namespace mansard::analysis {

// The summaries of one run, by rank, each rank once. Adds the others, and files without a summary,
// to `problems`.
std::vector<RankSummary> summaries_of_run(std::vector<RankSource> sources,
                                          std::vector<JobProblem>& problems);

// Adds missing ranks, early ends, and unequal numbers of steps and collectives. `job` has summaries
// and clocks.
void add_problems(const JobRanks& job, std::vector<JobProblem>& problems);

}  // namespace mansard::analysis
