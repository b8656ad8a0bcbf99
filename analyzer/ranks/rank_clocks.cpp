// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analyzer/ranks/collective_keys.h"
#include "support/statistics.h"

namespace mansard::analysis {
namespace {

using collector::ClockFit;
using collector::ClockShift;
using collector::CommonEvent;

// Bounds the time for jobs whose ranks have nothing in common.
constexpr std::size_t kMaxSeeds = 4;
constexpr std::size_t kMaxParents = 32;

struct Common {
  std::map<std::int32_t, std::vector<CommonEvent>> by_name;
  bool even = true;  // both ranks launched each common name equally often

  std::size_t size() const {
    return std::accumulate(
        by_name.begin(), by_name.end(), std::size_t{0},
        [](std::size_t sum, const auto& name) { return sum + name.second.size(); });
  }
};

class Aligner {
 public:
  explicit Aligner(const std::vector<RankSummary>& ranks) : ranks_(ranks), keys_(ranks) {
    std::vector<std::int64_t> step_ns;
    for (const RankSummary& rank : ranks) {
      if (rank.has_steps()) step_ns.push_back(rank.step_median_ns);
    }
    if (!step_ns.empty()) half_step_ns_ = static_cast<double>(lower_median(step_ns)) / 2;
  }

  // Aligns as many ranks as possible with `seed`.
  std::vector<RankClock> from(std::size_t seed) const {
    std::vector<RankClock> clocks(ranks_.size());
    clocks[seed].shift = ClockShift{.middle_ns = ranks_[seed].start_utc_ns};
    clocks[seed].through = seed;
    std::vector<std::size_t> parents = {seed};
    for (std::size_t p = 0; p < parents.size() && p < kMaxParents; ++p) {
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (clocks[rank].shift || !fit(parents[p], rank, clocks)) continue;
        parents.push_back(rank);
      }
    }
    return clocks;
  }

  bool has_samples(std::size_t rank) const {
    return ranks_[rank].samples.size() >= collector::kNeededCollectives;
  }

 private:
  Common common(std::size_t a, std::size_t b) const {
    Common common;
    keys_.for_each_common(a, b, [&](std::int32_t name, std::size_t of_a, std::size_t of_b) {
      common.by_name[name].push_back(
          {ranks_[a].samples[of_a].end_utc_ns, ranks_[b].samples[of_b].end_utc_ns});
    });
    for (const auto& [name, events] : common.by_name) {
      common.even = common.even && keys_.launches(a, name) == keys_.launches(b, name);
    }
    return common;
  }

  // In a regular job, collectives that are numbered from another step look like an offset of whole
  // steps.
  bool is_ambiguous(const ClockFit& fit, bool even) const {
    return !even && half_step_ns_ > 0 &&
           std::fabs(static_cast<double>(fit.shift.offset_ns)) >= half_step_ns_;
  }

  bool fit(std::size_t parent, std::size_t rank, std::vector<RankClock>& clocks) const {
    const Common events = common(parent, rank);
    RankClock& clock = clocks[rank];
    const std::size_t found = events.size();
    if (found < collector::kNeededCollectives) {
      if (clock.obstacle.empty()) {
        clock.obstacle = "only " + std::to_string(found) + " common collectives, and " +
                         std::to_string(collector::kNeededCollectives) + " are needed";
      }
      return false;
    }
    std::vector<CommonEvent> good;
    for (const auto& [name, of_name] : events.by_name) {
      if (of_name.size() < collector::kNeededCollectives) continue;
      if (collector::fit_clock(of_name).scatter_ns <= kMaxScatter_ns) {
        good.insert(good.end(), of_name.begin(), of_name.end());
      }
    }
    if (good.empty()) {
      clock.obstacle = "its collectives do not end together with those of other ranks";
      return false;
    }
    std::ranges::sort(good, {}, &CommonEvent::own_ns);
    const ClockFit all = collector::fit_clock(good);
    if (all.scatter_ns > kMaxScatter_ns) {
      clock.obstacle = "its kinds of collectives give different offsets";
      return false;
    }
    if (is_ambiguous(all, events.even)) {
      clock.obstacle =
          "it launched another number of collectives, and its offset would exceed half a step";
      return false;
    }
    clock.shift = chained(all.shift, *clocks[parent].shift);
    clock.scatter_ns = all.scatter_ns;
    clock.events = good.size();
    clock.through = parent;
    clock.obstacle.clear();
    return true;
  }

  // To the parent's clock, and from there to the reference.
  static ClockShift chained(const ClockShift& own, const ClockShift& parent) {
    ClockShift both = own;
    both.offset_ns += parent.at(own.middle_ns + own.offset_ns);
    both.drift += parent.drift;
    return both;
  }

  const std::vector<RankSummary>& ranks_;
  CollectiveKeys keys_;
  double half_step_ns_ = 0;
};

std::size_t count_aligned(const std::vector<RankClock>& clocks) {
  return static_cast<std::size_t>(std::ranges::count_if(
      clocks, [](const RankClock& clock) { return clock.shift.has_value(); }));
}

}  // namespace

RankClocks align_rank_clocks(const std::vector<RankSummary>& ranks) {
  RankClocks best;
  best.ranks.resize(ranks.size());
  const Aligner aligner(ranks);
  std::vector<bool> tried(ranks.size());
  for (std::size_t seed = 0, seeds = 0; seed < ranks.size() && seeds < kMaxSeeds; ++seed) {
    if (tried[seed] || !aligner.has_samples(seed)) continue;
    ++seeds;
    std::vector<RankClock> clocks = aligner.from(seed);
    const std::size_t aligned = count_aligned(clocks);
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      if (clocks[i].shift) tried[i] = true;
    }
    if (aligned > best.aligned) {
      best.aligned = aligned;
      best.ranks = std::move(clocks);
    }
    if (2 * best.aligned >= ranks.size()) break;
  }
  if (best.aligned < 2) {
    best.aligned = 0;
    for (RankClock& clock : best.ranks) clock.shift.reset();
  }
  std::vector<double> scatter_ns;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankClock& clock = best.ranks[i];
    if (clock.shift && clock.through != i) scatter_ns.push_back(clock.scatter_ns);
    if (clock.shift || !clock.obstacle.empty()) continue;
    const std::size_t samples = ranks[i].samples.size();
    if (samples == 0) {
      clock.obstacle = "it has no collectives of NCCL";
    } else if (samples < collector::kNeededCollectives) {
      clock.obstacle = "it has only " + std::to_string(samples) + " collectives, and " +
                       std::to_string(collector::kNeededCollectives) + " are needed";
    } else {
      clock.obstacle = "it has no collectives in common with others";
    }
  }
  if (!scatter_ns.empty()) {
    best.largest_scatter_ns = *std::ranges::max_element(scatter_ns);
    best.median_scatter_ns = median_in_place(scatter_ns);
  }
  return best;
}

}  // namespace mansard::analysis
