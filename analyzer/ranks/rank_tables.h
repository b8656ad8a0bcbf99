// SPDX-License-Identifier: Apache-2.0
// The tables of a job's ranks.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ranks/job_ranks.h"

namespace mansard::analysis {

// Ranks by falling own time, with a chart of their steps. `keys`: columns; empty: all.
Table ranks_table(const JobRanks& job, const std::vector<std::string>& keys = {});

// The parts of each rank's step, which add up to it, with hidden communication apart from compute,
// and a chart of all compared ranks.
enum class RankOrder { own_time, rank };  // own time: longest first
Table rank_parts_table(const JobRanks& job, RankOrder order);

// The slowest ranks, the median one and the fastest: at most `most`, which must be at least 3.
Table extreme_ranks_table(const JobRanks& job, std::size_t most);

Table spread_table(const JobRanks& job);              // of the parts of a step over the ranks
Table hosts_table(const JobRanks& job);               // own time by host
Table job_steps_table(const JobRanks& job);           // step times over the run
Table skew_table(const JobRanks& job);                // arrival skew and transfer by collective
Table clocks_table(const JobRanks& job);              // alignment
Table profiles_table(const JobRanks& job);            // files
Table problems_table(const JobRanks& job);            // by kind
std::string problem_text(const JobProblem& problem);  // "Ranks 8-63: missing (8 of 64 ranks ...)"

// Rows to plot of ranks with these values, ascending: all up to kMaxPlottedRanks, otherwise the
// slowest, the fastest, and some evenly between them. `chosen` gets a description for the reader.
inline constexpr std::size_t kMaxPlottedRanks = 16;
std::vector<std::size_t> plotted_ranks(const std::vector<double>& values, std::string& chosen);

}  // namespace mansard::analysis
