// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/job_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "analyzer/ranks/job_problems.h"
#include "analyzer/steps/idle_causes.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr double kSlowRank = 0.02;       // of a step
constexpr double kDeviations = 3;        // standard deviations
constexpr double kNormal = 1.4826;       // standard deviation / median absolute deviation
constexpr double kOtherClock = 0.98;     // of the median SM clock
constexpr double kMoreLaunches = 1.02;   // of the median number
constexpr double kSmallestCause = 0.05;  // of the excess
constexpr double kCommonStep = 0.5;      // share of the ranks that must have a step

JobRank rank_of(const RankSummary& summary, std::size_t index, bool by_step) {
  JobRank rank;
  rank.rank = summary.rank;
  rank.index = index;
  rank.compared = summary.typical_steps > 0 && (summary.origin != StepOrigin::whole) == by_step;
  const StepSplit& typical = summary.typical;
  rank.step_s = summary.per_step_s(typical.total_ns());
  rank.kernels_s = summary.per_step_s(typical.kernels_ns);
  rank.exposed_s = summary.per_step_s(typical.exposed_ns);
  rank.hidden_s = summary.per_step_s(typical.hidden_ns);
  rank.memory_s = summary.per_step_s(typical.memcpy_ns + typical.graphs_ns);
  rank.idle_s = summary.per_step_s(typical.idle_ns);
  rank.own_s = summary.per_step_s(typical.own_ns());
  return rank;
}

template <class Get>
std::vector<double> of_compared(const JobRanks& job, Get get) {
  std::vector<double> values;
  for (const JobRank& rank : job.ranks) {
    if (rank.compared) values.push_back(get(rank));
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The lower median, which of two ranks is the faster one: with the mean of both, neither would be
// slow.
void set_totals(JobRanks& job) {
  const std::vector<double> own = of_compared(job, [](const JobRank& r) { return r.own_s; });
  job.compared = own.size();
  if (own.empty()) return;
  job.own_s = lower_median(own);
  job.step_s = lower_median(of_compared(job, [](const JobRank& r) { return r.step_s; }));
  job.exposed_s = mean(of_compared(job, [](const JobRank& r) { return r.exposed_s; }));
  job.hidden_s = mean(of_compared(job, [](const JobRank& r) { return r.hidden_s; }));
  std::vector<double> waits_s;
  for (JobRank& rank : job.ranks) {
    if (!rank.compared) continue;
    rank.excess_s = rank.own_s - job.own_s;
    if (rank.own_s == job.own_s) job.median_rank = rank.index;
    const RankArrivals& arrivals = job.arrivals.ranks[rank.index];
    if (arrivals.matched == 0) continue;
    const double waits = arrivals.exposed_ns > 0 ? static_cast<double>(arrivals.exposed_wait_ns) /
                                                       static_cast<double>(arrivals.exposed_ns)
                                                 : 0;
    rank.wait_s = rank.exposed_s * waits;
    waits_s.push_back(*rank.wait_s);
  }
  job.wait_s = mean(waits_s);
  job.aligned = !waits_s.empty();
}

// The parts of a step by name, in seconds.
std::map<std::string, double> parts_of(const RankSummary& summary, const JobRank& rank) {
  std::map<std::string, double> parts;
  for (const RankPart& part : summary.parts) {
    parts[(part.idle ? "idle: " : "") + part.name] = summary.per_step_s(part.time_ns);
  }
  parts["memcpy, memset"] = rank.memory_s;
  return parts;
}

PartExcess named_excess(const std::string& name, double excess_s) {
  PartExcess excess{name, name.starts_with("idle: "), name == "memcpy, memset", "", excess_s};
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    if (!excess.idle || name.substr(6) != cause.key) continue;
    excess.name = "idle: " + std::string(cause.label);
    excess.remedy = cause.remedy;
  }
  return excess;
}

class Causes {
 public:
  explicit Causes(const JobRanks& job) {
    std::map<std::string, std::vector<double>> parts_s;
    std::vector<double> clocks_hz;
    std::vector<double> launches;
    for (const JobRank& rank : job.ranks) {
      if (!rank.compared) continue;
      const RankSummary& summary = job.summaries[rank.index];
      for (const auto& [name, time_s] : parts_of(summary, rank)) parts_s[name].push_back(time_s);
      if (summary.sm_clock_hz) clocks_hz.push_back(*summary.sm_clock_hz);
      launches.push_back(summary.step_launches);
    }
    for (auto& [name, times_s] : parts_s) {
      times_s.resize(job.compared);  // 0 on ranks without the part
      median_s_[name] = lower_median(times_s);
    }
    if (clocks_hz.size() > 1) clock_hz_ = median_in_place(clocks_hz);
    if (!launches.empty()) launches_ = lower_median(launches);
  }

  void set(const RankSummary& summary, JobRank& rank) const {
    for (const auto& [name, time_s] : parts_of(summary, rank)) {
      const double excess_s = time_s - median_s_.at(name);
      if (excess_s >= kSmallestCause * rank.excess_s) {
        rank.causes.push_back(named_excess(name, excess_s));
      }
    }
    std::ranges::stable_sort(rank.causes, std::greater(), &PartExcess::excess_s);
    if (summary.sm_clock_hz && *summary.sm_clock_hz < kOtherClock * clock_hz_) {
      rank.slow_clock = *summary.sm_clock_hz / clock_hz_;
    }
    if (launches_ > 0 && summary.step_launches > kMoreLaunches * launches_) {
      rank.more_work = summary.step_launches / launches_;
    }
  }

 private:
  std::map<std::string, double> median_s_;
  double clock_hz_ = 0;
  double launches_ = 0;
};

void find_slow(JobRanks& job) {
  if (job.compared < 2) return;
  const double deviation_s =
      kNormal *
      lower_median(of_compared(job, [&](const JobRank& rank) { return std::fabs(rank.excess_s); }));
  const double least_s = std::max(kSlowRank * job.step_s, kDeviations * deviation_s);
  double others_s = 0;
  double slowest_s = 0;
  for (JobRank& rank : job.ranks) {
    if (!rank.compared) continue;
    rank.slow = rank.excess_s > least_s;
    slowest_s = std::max(slowest_s, rank.own_s);
    if (rank.slow) {
      job.slow.push_back(rank.index);
    } else {
      others_s = std::max(others_s, rank.own_s);
    }
  }
  if (job.slow.empty()) return;
  job.saving_s = slowest_s - others_s;
  std::ranges::sort(job.slow, std::greater(), [&](std::size_t i) { return job.ranks[i].excess_s; });
  const Causes causes(job);
  for (const std::size_t i : job.slow) causes.set(job.summaries[i], job.ranks[i]);
}

// Steps by number, if most ranks have them. Ranks with a larger stride have fewer.
void set_steps(JobRanks& job) {
  struct Sample {
    std::size_t rank;
    double step_s;
    double own_s;
  };
  std::map<std::int64_t, std::vector<Sample>> numbers;
  for (const JobRank& rank : job.ranks) {
    if (!rank.compared || !job.by_step) continue;
    for (const RankStep& step : job.summaries[rank.index].step_samples) {
      numbers[step.number].push_back(
          {rank.index, seconds(step.total_ns()), seconds(step.own_ns())});
    }
  }
  std::vector<std::int64_t> slowest(job.ranks.size());
  for (const auto& [number, samples] : numbers) {
    if (static_cast<double>(samples.size()) < kCommonStep * static_cast<double>(job.compared)) {
      continue;
    }
    std::vector<double> step_s;
    std::vector<double> own_s;
    for (const Sample& sample : samples) {
      step_s.push_back(sample.step_s);
      own_s.push_back(sample.own_s);
    }
    const Sample& last = *std::ranges::max_element(samples, {}, &Sample::own_s);
    ++slowest[last.rank];
    job.steps.push_back({number, static_cast<std::int64_t>(samples.size()), lower_median(step_s),
                         *std::ranges::max_element(step_s), lower_median(own_s), last.own_s,
                         job.ranks[last.rank].rank});
  }
  for (JobRank& rank : job.ranks) {
    if (job.steps.empty()) break;
    rank.slowest_share =
        static_cast<double>(slowest[rank.index]) / static_cast<double>(job.steps.size());
  }
}

void set_job(JobRanks& job) {
  std::map<std::string, std::size_t> commands;
  std::set<std::string> hosts;
  std::size_t with_steps = 0;
  for (const RankSummary& rank : job.summaries) {
    ++commands[rank.command];
    hosts.insert(rank.host);
    job.world_size = std::max({job.world_size, rank.world_size, rank.rank + 1});
    with_steps += rank.origin != StepOrigin::whole ? 1 : 0;
  }
  job.command =
      std::ranges::max_element(commands, {}, [](const auto& entry) { return entry.second; })->first;
  job.hosts = static_cast<std::int64_t>(hosts.size());
  job.by_step = 2 * with_steps >= job.summaries.size();
}

// The reason that most ranks give, if none is aligned.
std::string why_not_aligned(const RankClocks& clocks) {
  std::map<std::string, std::size_t> reasons;
  for (const RankClock& clock : clocks.ranks) ++reasons[clock.obstacle];
  return std::ranges::max_element(reasons, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

}  // namespace

JobRanks compare_ranks(std::vector<RankSource> sources) {
  JobRanks job;
  job.summaries = summaries_of_run(std::move(sources), job.problems);
  if (job.summaries.empty()) {
    std::string why = "none of the files can be analyzed as the profile of a rank";
    for (std::size_t i = 0; i < std::min<std::size_t>(job.problems.size(), 5); ++i) {
      why += "\n  " + job.problems[i].text;
    }
    throw std::runtime_error(why);
  }
  set_job(job);
  for (std::size_t i = 0; i < job.summaries.size(); ++i) {
    job.ranks.push_back(rank_of(job.summaries[i], i, job.by_step));
  }
  job.clocks = align_rank_clocks(job.summaries);
  if (job.clocks.aligned == 0 && job.summaries.size() > 1) {
    job.no_clocks = why_not_aligned(job.clocks);
  }
  job.arrivals = arrival_skew(job.summaries, job.clocks);
  set_totals(job);
  find_slow(job);
  set_steps(job);
  add_problems(job, job.problems);
  std::ranges::stable_sort(job.problems, {}, &JobProblem::kind);
  return job;
}

}  // namespace mansard::analysis
