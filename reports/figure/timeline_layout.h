// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline from top to bottom: one a track or sampled value, those of one label close
// together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/timeline.h"
#include "reports/figure/timeline_metrics.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

enum class RowKind : std::uint8_t { heading, track, line };

struct TimelineRow {
  RowKind kind = RowKind::track;
  bool closed = false;    // of a heading: its rows are hidden
  std::size_t group = 0;  // of groups_of(); 0 in figures without headings
  std::size_t index = 0;  // into Timeline::tracks or lines; of a heading its group
  Rect box;               // without the label, but of a heading
  std::string label;      // empty: the same as that of the row above
  // Filled in by find_visible():
  std::vector<TimelineBlock> blocks = {};  // of a track
  std::vector<LineColumn> columns = {};    // of a line
};

struct TimelineRows {
  std::vector<TimelineRow> rows;  // from top to bottom
  double bottom = 0;
};

// Fills in what of the row is in the window of `scale`.
void find_visible(TimelineRow& row, const Timeline& timeline, const TimeScale& scale,
                  const Rect& plot);

}  // namespace mansard::figure
