// SPDX-License-Identifier: Apache-2.0
// Arrival skew of collectives: how long ranks wait in them for the last one, from samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/ranks/rank_clocks.h"
#include "analyzer/ranks/rank_summary.h"

namespace mansard::analysis {

// Over the matched samples of a rank within typical steps.
struct RankArrivals {
  std::int64_t matched = 0;
  std::int64_t last = 0;       // started last
  std::int64_t waited_ns = 0;  // until the last rank started, hidden or exposed
  // The longest exposed time of each sample, and the waiting in it.
  std::int64_t exposed_ns = 0;
  std::int64_t exposed_wait_ns = 0;
  // How much earlier the collectives could have started, had only this rank been as early as the
  // one before it.
  std::int64_t held_up_ns = 0;
};

// Means over the matched samples of a kernel name.
struct CollectiveSkew {
  std::string name;
  std::int64_t launches = 0;  // in the profile of the rank with most
  std::int64_t matched = 0;   // collectives
  double ranks = 0;           // per collective
  double spread_s = 0;        // from the first start to the last
  double wait_s = 0;          // from a rank's start to the last
  double transfer_s = 0;      // from the last start to the end
  std::size_t last_rank = 0;  // index of the rank that was last most often
  double last_share = 0;      // share of the collectives in which it was
};

// The matched samples of a rank within one step, typical or not.
struct StepArrival {
  std::size_t rank = 0;   // index, as given
  std::int64_t step = 0;  // RankStep::number
  std::int64_t collectives = 0;
  std::int64_t late_ns = 0;  // sum: from the first rank's start to this rank's
};

struct ArrivalSkew {
  std::vector<RankArrivals> ranks;          // as given
  std::vector<CollectiveSkew> collectives;  // by falling wait x launches
  std::vector<StepArrival> steps;           // by rank and step
  std::int64_t matched = 0;                 // collectives in typical steps
};

ArrivalSkew arrival_skew(const std::vector<RankSummary>& ranks, const RankClocks& clocks);

}  // namespace mansard::analysis
