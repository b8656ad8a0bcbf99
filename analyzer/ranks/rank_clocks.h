// SPDX-License-Identifier: Apache-2.0
// Aligns the clocks of many ranks by the collectives that their summaries have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/ranks/rank_summary.h"
#include "collector/merge/clock_alignment.h"

namespace mansard::analysis {

struct RankClock {
  // To the clock of the reference rank; empty: not aligned.
  std::optional<collector::ClockShift> shift;
  std::string obstacle;     // why it is not aligned
  double scatter_ns = 0;    // median distance of its collectives' ends from the fit
  std::size_t events = 0;   // collectives of the fit
  std::size_t through = 0;  // index of the rank that it was fitted to; its own: the reference

  // `utc_ns` on its own clock, on the reference clock.
  std::int64_t aligned(std::int64_t utc_ns) const { return utc_ns + shift->at(utc_ns); }
};

struct RankClocks {
  std::vector<RankClock> ranks;  // as given
  std::size_t aligned = 0;       // number of aligned ranks; 0 or at least two

  // Medians over the aligned ranks except the reference, and the largest.
  double median_scatter_ns = 0;
  double largest_scatter_ns = 0;
};

// A rank is aligned with any rank that it has collectives in common with: first with the reference,
// then with ranks that are aligned already, as groups of ranks (tensor, data, pipeline parallel)
// communicate separately. A kernel name is used if the ends of its samples scatter by at most
// kMaxScatter_ns around the fit, which the n-th kernels of two separate groups do not. If the
// numbers of collectives differ, the offset must be below half a step.
RankClocks align_rank_clocks(const std::vector<RankSummary>& ranks);

inline constexpr double kMaxScatter_ns = 100e3;

}  // namespace mansard::analysis
