// SPDX-License-Identifier: Apache-2.0
// Selects the slices of whole typical steps if there are more slices than a limit.
#pragma once

#include <functional>
#include <vector>

#include "reports/figure/shown_step.h"
#include "reports/figure/timeline_summary.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

struct SliceChoice {
  std::function<bool(const TimelineTrack&)> tracks;
  std::vector<bool> keys;  // of Timeline::names; empty: all
};

struct ChosenSlices {
  std::vector<SliceRef> slices;  // sorted by start
  std::size_t total = 0;         // number of all slices
  std::size_t steps = 0;         // number of whole steps; 0: all slices, or part of a step
};

// Returns all selected slices if there are at most `limit`. Otherwise the slices that start in
// typical steps: `shown` and the following ones, wrapping around at the end, while whole steps fit.
// If one step exceeds the limit, or without steps, the first slices.
ChosenSlices slices_of_steps(const Timeline& timeline, const ShownStep& shown, std::size_t limit,
                             const SliceChoice& choice);

}  // namespace mansard::figure
