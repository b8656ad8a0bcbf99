// SPDX-License-Identifier: Apache-2.0
// Distributes overlapping slices over lanes, so that slices of a lane do not overlap.
#pragma once

#include <vector>

#include "reports/figure/slice_track.h"

namespace mansard::figure {

struct SliceLanes {
  std::vector<SliceColumns> lanes;  // not empty
  std::size_t left_out = 0;  // number of slices more than kMaxLanes deep or without valid times
};

inline constexpr std::size_t kMaxLanes = 64;

// Each slice is put on the first lane that is free at its start. Nested slices (ranges of a thread)
// therefore use the lane of their depth, consecutive ones (kernels of a stream) one lane. Slices
// may be in any order; of slices with the same start the longer one is first, of equal ones the
// earlier in `slices`.
SliceLanes divide_into_lanes(std::vector<Slice> slices);

}  // namespace mansard::figure
