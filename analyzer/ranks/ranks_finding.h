// SPDX-License-Identifier: Apache-2.0
// The comparison of a job's ranks as findings.
#pragma once

#include <vector>

#include "analyzer/ranks/job_ranks.h"

namespace mansard::analysis {

// The answer with what to change first and what is incomplete; the ranks; their steps; collectives;
// clocks and files.
std::vector<Finding> job_findings(const JobRanks& job);

// The most important of these, for a terminal of 40 lines.
Finding job_overview(const JobRanks& job);

}  // namespace mansard::analysis
