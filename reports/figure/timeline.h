// SPDX-License-Identifier: Apache-2.0
// The visible blocks of a track. Slices too narrow to be distinguished are merged into a block with
// a count, so the cost of a frame depends on its pixels, not on the number of slices (as in Tracy).
#pragma once

#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/slice_track.h"
#include "reports/figure/time_scale.h"

namespace mansard::figure {

// Narrower slices are merged with their neighbors.
inline constexpr double kMergeWidth_px = 3;

// One slice, or `count` consecutive narrow ones.
struct TimelineBlock {
  std::int64_t start_ns = 0;  // start of the first slice
  std::int64_t end_ns = 0;    // end of the last slice
  double left_px = 0;         // the part inside the plot, at least a pixel wide
  double right_px = 0;
  std::size_t first = 0;  // index of the first slice in the track
  std::size_t count = 1;
  std::int64_t busy_ns = 0;    // sum of the slices
  std::uint16_t of_class = 0;  // class with the most time

  // Busy share of the block; 1 for blocks of zero length.
  double busy_share() const;
};

// The blocks in the window of `scale`, sorted by time; each visible slice is in exactly one. Time
// is divided into cells of kMergeWidth_px, starting at the scale's limits, so panning does not
// change blocks. Slices shorter than a cell that start in the same cell form a block; longer slices
// are blocks of their own. If a chunk of the track's index is shorter than half a cell, a block
// extends to the end of its last chunk. There are at most two blocks per cell, each of which costs
// two local searches and at most two chunks. Only left and right of `plot` are used. The number of
// visited slices and index entries is added to `looked_at` if given.
std::vector<TimelineBlock> visible_blocks(const SliceTrack& track, const TimeScale& scale,
                                          const Rect& plot, std::size_t* looked_at = nullptr);

// The block under a pixel, else the nearest one at most `slack_px` away, else null. `blocks` is the
// result of visible_blocks().
const TimelineBlock* block_at(std::span<const TimelineBlock> blocks, double x_px, double slack_px);

}  // namespace mansard::figure
