// SPDX-License-Identifier: Apache-2.0
// Slices that overlap, on as many rows as are needed for none to cover another.
#pragma once

#include <vector>

#include "reports/figure/slice_track.h"

namespace mansard::figure {

struct SliceLanes {
  std::vector<SliceColumns> lanes;  // none is empty
  std::size_t left_out = 0;         // of slices more than kMaxLanes deep, or without valid times
};

inline constexpr std::size_t kMaxLanes = 64;

// Each slice goes to the first lane that is free when it starts. What nests (ranges of a thread)
// so gets the lane of its depth; what follows each other (kernels of a stream) one lane. Slices in
// any order; of those that start together the longer one comes first, and of equal ones the
// earlier in `slices`.
SliceLanes divide_into_lanes(std::vector<Slice> slices);

}  // namespace mansard::figure
