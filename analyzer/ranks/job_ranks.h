// SPDX-License-Identifier: Apache-2.0
// The ranks of a job side by side, from their summaries: which ones are slow, and in what; how long
// the others wait; and what is missing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/ranks/rank_arrivals.h"
#include "analyzer/ranks/rank_clocks.h"
#include "analyzer/ranks/rank_summary.h"

namespace mansard::analysis {

// A file of the job: its summary, or why there is none.
struct RankSource {
  std::filesystem::path file;
  std::optional<RankSummary> summary;
  std::string problem;  // names the file
};

enum class ProblemKind {
  not_analyzed,       // a file that is not a rank's profile, or is still being recorded
  missing,            // no profile of the rank
  duplicate,          // a second profile of the rank
  other_run,          // a profile of another time
  ended_early,        // interrupted, or fewer steps
  other_steps,        // another number of steps
  other_collectives,  // another number of collectives
  not_aligned,        // clock
  no_steps,           // no steps were found, or none without hardware counters
  caveat,             // several GPUs, other command, dropped events
};
std::string_view to_string(ProblemKind kind);

struct JobProblem {
  ProblemKind kind = ProblemKind::caveat;
  std::vector<int> ranks;  // ascending; empty: unknown
  std::string text;        // without the ranks: "97 steps; most ranks have 100"
};

// "rank 3", "ranks 0-7, 12"; at most `most` ranges are listed.
std::string ranks_text(const std::vector<int>& ranks, std::size_t most = 8);

// A part of a rank's step that takes longer than on the median rank.
struct PartExcess {
  std::string name;  // of the class, or "memcpy, memset", "idle: host code"
  bool idle = false;
  bool memcpy = false;
  std::string remedy;  // of the cause of idle time
  double excess_s = 0;
};

struct JobRank {
  int rank = 0;
  std::size_t index = 0;  // into JobRanks::summaries
  bool compared = false;  // has step times of the same kind as most ranks

  // Means per typical step.
  double step_s = 0;
  double kernels_s = 0;
  double exposed_s = 0;
  double hidden_s = 0;
  double memory_s = 0;  // memcpys, memsets, and CUDA graphs recorded as a whole
  double idle_s = 0;
  double own_s = 0;  // step without exposed communication
  // Part of exposed_s: its share in the exposed time of the sampled collectives. Empty: no matched
  // collectives.
  std::optional<double> wait_s;
  double excess_s = 0;               // own_s compared with the median rank
  bool slow = false;                 // see JobRanks::slow
  std::vector<PartExcess> causes;    // slow ranks: largest first
  std::optional<double> slow_clock;  // slow ranks: SM clock / median, if at least 2 % below
  std::optional<double> more_work;   // slow ranks: launches per step / median, if 2 % above
  double slowest_share = 0;          // of the common steps: it had the longest own time
};

// A step number that most ranks have.
struct JobStep {
  std::int64_t number = 0;
  std::int64_t ranks = 0;
  double median_s = 0;  // step time
  double max_s = 0;
  double own_median_s = 0;
  double own_max_s = 0;
  int slowest_rank = 0;  // with the longest own time
};

struct JobRanks {
  std::vector<RankSummary> summaries;  // by rank, as are the following
  std::vector<JobRank> ranks;
  RankClocks clocks;
  ArrivalSkew arrivals;
  std::vector<JobStep> steps;
  std::vector<JobProblem> problems;

  std::string command;  // of most ranks
  std::int64_t hosts = 0;
  int world_size = 0;     // stated by the profiles or, if larger, the highest rank + 1
  bool by_step = false;   // most ranks have steps; otherwise times are of whole profiles
  bool aligned = false;   // waiting for ranks is known
  std::string no_clocks;  // why not

  // The following are values of the compared ranks.
  std::size_t compared = 0;
  double step_s = 0;  // median
  double own_s = 0;
  std::size_t median_rank = 0;  // index of the rank with the median own time
  double exposed_s = 0;         // means over the ranks
  double hidden_s = 0;
  double wait_s = 0;  // of the aligned ones
  // Ranks whose own time exceeds the median by 2 % of a step and by three standard deviations (as
  // 1.4826 x the median absolute deviation); indices, slowest first.
  std::vector<std::size_t> slow;
  // Difference between the slowest rank and the slowest of the others: what a step could gain, if
  // the slow ones were like these.
  double saving_s = 0;
};

// Throws std::runtime_error, with the reasons, if there is no summary.
JobRanks compare_ranks(std::vector<RankSource> sources);

}  // namespace mansard::analysis
