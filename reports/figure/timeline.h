// SPDX-License-Identifier: Apache-2.0
// What of a track is to be drawn. Slices too narrow to be told apart become one counted block, so
// that a frame costs what it has pixels, however many slices there are (Tracy does likewise).
#pragma once

#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/slice_track.h"
#include "reports/figure/time_scale.h"

namespace mansard::figure {

// Narrower slices are merged with their neighbors.
inline constexpr double kMergeWidth_px = 3;

// One slice, or `count` narrow ones that follow each other.
struct TimelineBlock {
  std::int64_t start_ns = 0;  // of the first
  std::int64_t end_ns = 0;    // of the last
  double left_px = 0;         // of it what is in the plot, and a pixel wide at least
  double right_px = 0;
  std::size_t first = 0;  // into the track
  std::size_t count = 1;
  std::int64_t busy_ns = 0;    // sum of the slices
  std::uint16_t of_class = 0;  // that most of busy_ns is of

  // Of the block's time; 1 for what has no length.
  double busy_share() const;
};

// By rising time: every slice that is in the window of `scale`, in one block each. Time is divided
// into cells of kMergeWidth_px from the scale's limits on, so that panning changes no block: the
// slices shorter than a cell that start in the same one are a block, and each longer one is its
// own. Where slices lie so close that a chunk of the track's index is shorter than half a cell, a
// block goes on to the end of its last chunk. There are so at most two blocks a cell, each of which
// costs two searches near by and at most two chunks. Of `plot` only left and right count.
// `looked_at`, if given, is raised by the slices and index entries that were looked at.
std::vector<TimelineBlock> visible_blocks(const SliceTrack& track, const TimeScale& scale,
                                          const Rect& plot, std::size_t* looked_at = nullptr);

// The block under a pixel, else the nearest that is at most `slack_px` away; null: none is.
// `blocks` as visible_blocks() returns them.
const TimelineBlock* block_at(std::span<const TimelineBlock> blocks, double x_px, double slack_px);

}  // namespace mansard::figure
