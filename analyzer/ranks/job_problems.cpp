// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/job_problems.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/dates.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

// Clocks of hosts that are not synchronized may differ by this much.
constexpr std::int64_t kUnsetClocks_ns = 60'000'000'000;

// One problem for all ranks with the same text.
class Grouped {
 public:
  void add(int rank, std::string text) { ranks_[std::move(text)].push_back(rank); }
  void move_to(std::vector<JobProblem>& problems, ProblemKind kind) {
    for (auto& [text, ranks] : ranks_) problems.push_back({kind, std::move(ranks), text});
  }

 private:
  std::map<std::string, std::vector<int>> ranks_;
};

template <class Value>
Value most_frequent(const std::vector<Value>& values) {
  std::map<Value, std::size_t> counts;
  for (const Value& value : values) ++counts[value];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

std::int64_t launches_of(const RankSummary& rank) {
  std::int64_t sum = 0;
  for (const RankCollective& collective : rank.collectives) sum += collective.launches;
  return sum;
}

// A stale file of an earlier run in the same folder.
void remove_other_runs(std::vector<RankSummary>& ranks, std::vector<JobProblem>& problems) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  for (const RankSummary& rank : ranks) {
    starts.push_back(rank.start_utc_ns);
    ends.push_back(rank.end_utc_ns);
  }
  const std::int64_t start = lower_median(starts);
  const std::int64_t end = lower_median(ends);
  std::erase_if(ranks, [&](const RankSummary& rank) {
    const bool overlaps =
        rank.start_utc_ns <= end + kUnsetClocks_ns && rank.end_utc_ns >= start - kUnsetClocks_ns;
    if (overlaps) return false;
    problems.push_back({ProblemKind::other_run,
                        {rank.rank},
                        rank.file + " left out, as it is from another run (" +
                            format_utc(rank.start_utc_ns) + "; most files " + format_utc(start) +
                            ")"});
    return true;
  });
}

// Other processes of a rank, such as data loader workers, have profiles too.
void remove_duplicates(std::vector<RankSummary>& ranks, std::vector<JobProblem>& problems) {
  std::ranges::stable_sort(ranks, [](const RankSummary& a, const RankSummary& b) {
    const auto key = [](const RankSummary& rank) {
      return std::tuple(rank.rank, -launches_of(rank), -rank.kernels);
    };
    return key(a) < key(b);
  });
  std::vector<RankSummary> kept;
  for (RankSummary& rank : ranks) {
    if (!kept.empty() && kept.back().rank == rank.rank) {
      problems.push_back({ProblemKind::duplicate,
                          {rank.rank},
                          "second profile " + rank.file + " left out, as " + kept.back().file +
                              " has more collectives or kernels"});
    } else {
      kept.push_back(std::move(rank));
    }
  }
  ranks = std::move(kept);
}

void add_missing(const JobRanks& job, std::vector<JobProblem>& problems) {
  std::set<int> present;
  for (const RankSummary& rank : job.summaries) present.insert(rank.rank);
  JobProblem missing{ProblemKind::missing, {}, ""};
  for (int rank = 0; rank < job.world_size; ++rank) {
    if (!present.contains(rank)) missing.ranks.push_back(rank);
  }
  if (missing.ranks.empty()) return;
  const bool stated = std::ranges::any_of(
      job.summaries, [&](const RankSummary& rank) { return rank.world_size == job.world_size; });
  missing.text = "missing (" + format_whole(static_cast<std::int64_t>(present.size())) + " of " +
                 format_number_of(job.world_size, "rank") + " analyzed" +
                 (stated ? "" : "; the job may have more, as its size was not recorded") +
                 "); waiting for them counts as transfer";
  problems.push_back(std::move(missing));
}

// Ranks that ended early, and other numbers of steps. Returns those that ended early.
std::set<int> add_steps(const JobRanks& job, std::vector<JobProblem>& problems) {
  std::vector<std::int64_t> counts;
  for (const RankSummary& rank : job.summaries) {
    if (rank.origin != StepOrigin::whole) counts.push_back(rank.steps);
  }
  const std::int64_t usual = counts.empty() ? 0 : most_frequent(counts);
  Grouped ended;
  Grouped other;
  std::set<int> early;
  for (const RankSummary& rank : job.summaries) {
    const bool has_steps = rank.origin != StepOrigin::whole;
    const std::string count = format_number_of(rank.steps, "step");
    const std::string others = "; most ranks have " + format_whole(usual);
    const bool fewer = has_steps && rank.steps < usual;
    if (!rank.complete) {
      ended.add(rank.rank, !has_steps ? "interrupted; no steps were found"
                           : fewer    ? "interrupted in step " + format_whole(rank.steps) +
                                         " of its profile" + others
                                   : "interrupted after " + count);
      early.insert(rank.rank);
    } else if (has_steps && rank.steps != usual) {
      other.add(rank.rank, count + others);
      if (fewer) early.insert(rank.rank);
    }
  }
  ended.move_to(problems, ProblemKind::ended_early);
  other.move_to(problems, ProblemKind::other_steps);
  return early;
}

void add_collectives(const JobRanks& job, const std::set<int>& early,
                     std::vector<JobProblem>& problems) {
  std::map<std::string, std::vector<std::int64_t>> counts;  // of ranks that have the name
  for (const RankSummary& rank : job.summaries) {
    for (const RankCollective& collective : rank.collectives) {
      counts[collective.name].push_back(collective.launches);
    }
  }
  Grouped uneven;
  for (const auto& [name, of_ranks] : counts) {
    const std::int64_t usual = most_frequent(of_ranks);
    const std::string kernel = name.substr(0, name.find('('));
    for (const RankSummary& rank : job.summaries) {
      if (early.contains(rank.rank)) continue;  // stated already
      const auto own = std::ranges::find(rank.collectives, name, &RankCollective::name);
      const std::int64_t launches = own == rank.collectives.end() ? 0 : own->launches;
      if (launches == usual) continue;
      uneven.add(rank.rank, format_number_of(launches, "kernel") + " of " + kernel +
                                "; most ranks have " + format_whole(usual));
    }
  }
  uneven.move_to(problems, ProblemKind::other_collectives);
}

void add_clocks(const JobRanks& job, std::vector<JobProblem>& problems) {
  Grouped unaligned;
  for (std::size_t i = 0; i < job.summaries.size(); ++i) {
    const RankClock& clock = job.clocks.ranks[i];
    if (clock.shift) continue;
    unaligned.add(job.summaries[i].rank,
                  "clock not aligned, so waiting is not available: " + clock.obstacle);
  }
  if (job.clocks.aligned > 0) unaligned.move_to(problems, ProblemKind::not_aligned);
}

void add_caveats(const JobRanks& job, std::vector<JobProblem>& problems) {
  Grouped no_steps;
  Grouped caveats;
  for (std::size_t i = 0; i < job.summaries.size(); ++i) {
    const RankSummary& rank = job.summaries[i];
    if (rank.typical_steps == 0) {
      no_steps.add(rank.rank, "hardware counters were read in every step; times are not compared");
    } else if (!job.ranks[i].compared) {
      no_steps.add(rank.rank, "no steps were found; times are not compared");
    }
    if (rank.devices > 1) {
      caveats.add(rank.rank, format_number_of(rank.devices, "GPU") +
                                 "; results are of the one with the most kernel time");
    }
    if (rank.dropped_events > 0) {
      caveats.add(rank.rank, format_number_of(rank.dropped_events, "event") +
                                 " could not be written in time and are missing");
    }
    if (rank.command != job.command) {
      caveats.add(rank.rank, "another command: " + rank.command);
    }
  }
  no_steps.move_to(problems, ProblemKind::no_steps);
  caveats.move_to(problems, ProblemKind::caveat);
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::not_analyzed:
      return "not analyzed";
    case ProblemKind::missing:
      return "missing rank";
    case ProblemKind::duplicate:
      return "duplicate rank";
    case ProblemKind::other_run:
      return "other run";
    case ProblemKind::ended_early:
      return "ended early";
    case ProblemKind::other_steps:
      return "number of steps";
    case ProblemKind::other_collectives:
      return "number of collectives";
    case ProblemKind::not_aligned:
      return "clock";
    case ProblemKind::no_steps:
      return "no step times";
    case ProblemKind::caveat:
      return "caveat";
  }
  return "caveat";
}

std::string ranks_text(const std::vector<int>& ranks, std::size_t most) {
  if (ranks.empty()) return "";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  std::size_t ranges = 0;
  std::size_t listed = 0;
  for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
    to = from + 1;
    while (to < ranks.size() && ranks[to] == ranks[to - 1] + 1) ++to;
    if (ranges++ == most) {
      return text + " and " + format_whole(static_cast<std::int64_t>(ranks.size() - listed)) +
             " more";
    }
    listed = to;
    text += (from == 0 ? "" : ", ") + std::to_string(ranks[from]);
    if (to - from > 1) text += (to - from > 2 ? "-" : ", ") + std::to_string(ranks[to - 1]);
  }
  return text;
}

std::vector<RankSummary> summaries_of_run(std::vector<RankSource> sources,
                                          std::vector<JobProblem>& problems) {
  std::vector<RankSummary> ranks;
  for (RankSource& source : sources) {
    if (source.summary) {
      ranks.push_back(*std::move(source.summary));
    } else {
      problems.push_back({ProblemKind::not_analyzed, {}, source.problem});
    }
  }
  if (ranks.empty()) return ranks;
  remove_other_runs(ranks, problems);
  remove_duplicates(ranks, problems);
  return ranks;
}

void add_problems(const JobRanks& job, std::vector<JobProblem>& problems) {
  add_missing(job, problems);
  const std::set<int> early = add_steps(job, problems);
  add_collectives(job, early, problems);
  add_clocks(job, problems);
  add_caveats(job, problems);
}

}  // namespace mansard::analysis
