// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_arrivals.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "analyzer/ranks/collective_keys.h"
#include "analyzer/steps/ends_together.h"

namespace mansard::analysis {
namespace {

// A sample on the reference clock.
struct Arrival {
  std::int32_t name = 0;
  std::int64_t launch = 0;
  std::size_t rank = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t exposed_start_ns = 0;
  std::int64_t exposed_end_ns = 0;
  bool typical = false;
  std::int64_t step = -1;  // RankStep::number; -1: outside of all sampled steps
};

// The step in which a rank started a collective, both on its own clock.
std::int64_t step_of(const RankSummary& rank, std::int64_t start_utc_ns) {
  if (!rank.has_steps()) return -1;
  const auto after =
      std::ranges::upper_bound(rank.step_samples, start_utc_ns, {}, &RankStep::start_utc_ns);
  if (after == rank.step_samples.begin()) return -1;
  const RankStep& step = *std::prev(after);
  return start_utc_ns < step.end_utc_ns ? step.number : -1;
}

// The highest level: samples that all ranks have, without the first launches of a name, which would
// weigh too much.
int common_level(const std::vector<RankSummary>& ranks) {
  int level = 0;
  for (const RankSummary& rank : ranks) level = std::max(level, rank.sample_level);
  return level;
}

std::vector<Arrival> arrivals_of(const std::vector<RankSummary>& ranks, const RankClocks& clocks,
                                 const CollectiveKeys& keys) {
  const int level = common_level(ranks);
  std::vector<Arrival> arrivals;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankClock& clock = clocks.ranks[rank];
    if (!clock.shift) continue;
    for (const CollectiveKeys::Key& key : keys.of(rank)) {
      if (!is_sampled(key.launch, level)) continue;
      const CollectiveSample& sample = ranks[rank].samples[key.index];
      arrivals.push_back({key.name, key.launch, rank, clock.aligned(sample.start_utc_ns),
                          clock.aligned(sample.end_utc_ns),
                          clock.aligned(sample.exposed_start_utc_ns),
                          clock.aligned(sample.exposed_end_utc_ns), sample.typical,
                          step_of(ranks[rank], sample.start_utc_ns)});
    }
  }
  std::ranges::sort(arrivals, {},
                    [](const Arrival& a) { return std::tuple(a.name, a.launch, a.rank); });
  return arrivals;
}

struct ArrivalSums {
  CollectiveSkew skew;
  double waits_ns = 0;
  double members = 0;
  double spread_ns = 0;
  double transfer_ns = 0;
  std::map<std::size_t, std::int64_t> last;
};

using StepArrivals = std::map<std::pair<std::size_t, std::int64_t>, StepArrival>;

void add_to_steps(std::span<const Arrival> together, StepArrivals& steps) {
  const std::int64_t first_ns =
      std::ranges::min_element(together, {}, &Arrival::start_ns)->start_ns;
  for (const Arrival& arrival : together) {
    if (arrival.step < 0) continue;
    StepArrival& at = steps[{arrival.rank, arrival.step}];
    at.rank = arrival.rank;
    at.step = arrival.step;
    ++at.collectives;
    at.late_ns += arrival.start_ns - first_ns;
  }
}

void add_collective(std::span<const Arrival> together, std::int64_t last_start_ns,
                    ArrivalSums& sums, ArrivalSkew& result) {
  if (!std::ranges::all_of(together, &Arrival::typical)) return;
  ++result.matched;
  ++sums.skew.matched;
  const Arrival* last = &together.front();
  std::int64_t first_start_ns = last_start_ns;
  std::int64_t before_last_ns = INT64_MIN;
  for (const Arrival& arrival : together) {
    first_start_ns = std::min(first_start_ns, arrival.start_ns);
    if (arrival.start_ns == last_start_ns) last = &arrival;
  }
  for (const Arrival& arrival : together) {
    if (&arrival != last) before_last_ns = std::max(before_last_ns, arrival.start_ns);
    RankArrivals& rank = result.ranks[arrival.rank];
    ++rank.matched;
    rank.waited_ns += last_start_ns - arrival.start_ns;
    rank.exposed_ns += arrival.exposed_end_ns - arrival.exposed_start_ns;
    rank.exposed_wait_ns += std::max<std::int64_t>(
        0, std::min(last_start_ns, arrival.exposed_end_ns) - arrival.exposed_start_ns);
    sums.waits_ns += static_cast<double>(last_start_ns - arrival.start_ns);
  }
  ++result.ranks[last->rank].last;
  ++sums.last[last->rank];
  result.ranks[last->rank].held_up_ns += last_start_ns - before_last_ns;
  sums.members += static_cast<double>(together.size());
  sums.spread_ns += static_cast<double>(last_start_ns - first_start_ns);
  sums.transfer_ns += static_cast<double>(together.front().end_ns - last_start_ns);
}

CollectiveSkew means_of(ArrivalSums sums) {
  CollectiveSkew skew = std::move(sums.skew);
  const double matched = static_cast<double>(skew.matched);
  skew.ranks = sums.members / matched;
  skew.spread_s = 1e-9 * sums.spread_ns / matched;
  skew.wait_s = 1e-9 * sums.waits_ns / sums.members;
  skew.transfer_s = 1e-9 * sums.transfer_ns / matched;
  const auto most = std::ranges::max_element(sums.last, {}, [](const auto& e) { return e.second; });
  skew.last_rank = most->first;
  skew.last_share = static_cast<double>(most->second) / matched;
  return skew;
}

}  // namespace

ArrivalSkew arrival_skew(const std::vector<RankSummary>& ranks, const RankClocks& clocks) {
  ArrivalSkew result;
  result.ranks.resize(ranks.size());
  const CollectiveKeys keys(ranks);
  const std::vector<Arrival> arrivals = arrivals_of(ranks, clocks, keys);
  std::map<std::int32_t, ArrivalSums> names;
  StepArrivals steps;
  for (std::size_t from = 0, to = 0; from < arrivals.size(); from = to) {
    const Arrival& first = arrivals[from];
    while (to < arrivals.size() && arrivals[to].name == first.name &&
           arrivals[to].launch == first.launch) {
      ++to;
    }
    std::vector<Arrival> nth(arrivals.begin() + static_cast<std::ptrdiff_t>(from),
                             arrivals.begin() + static_cast<std::ptrdiff_t>(to));
    for_each_collective(nth, std::mem_fn(&Arrival::start_ns), std::mem_fn(&Arrival::end_ns),
                        [&](std::span<const Arrival> together, std::int64_t last_start_ns) {
                          add_to_steps(together, steps);
                          add_collective(together, last_start_ns, names[first.name], result);
                        });
  }
  for (const auto& [key, arrival] : steps) result.steps.push_back(arrival);
  for (auto& [name, sums] : names) {
    if (sums.skew.matched == 0) continue;
    sums.skew.name = keys.names()[static_cast<std::size_t>(name)];
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      sums.skew.launches = std::max(sums.skew.launches, keys.launches(rank, name));
    }
    result.collectives.push_back(means_of(std::move(sums)));
  }
  std::ranges::sort(result.collectives, std::greater(), [](const CollectiveSkew& skew) {
    return skew.wait_s * static_cast<double>(skew.launches);
  });
  return result;
}

}  // namespace mansard::analysis
