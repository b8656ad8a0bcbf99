// SPDX-License-Identifier: Apache-2.0
// Of more slices than somebody can hold, those of whole typical steps.
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
  std::vector<SliceRef> slices;  // by start
  std::size_t total = 0;         // as many there are
  std::size_t steps = 0;         // whole ones that these are of; 0: all there is, or a part of one
};

// All that are wanted, if they are `limit` at most. Else the slices that begin in typical steps:
// `shown` and those that follow it, from the last on to the first, for as long as whole ones fit.
// Of a step that alone is larger, or where there are no steps, the first slices.
ChosenSlices slices_of_steps(const Timeline& timeline, const ShownStep& shown, std::size_t limit,
                             const SliceChoice& choice);

}  // namespace mansard::figure
