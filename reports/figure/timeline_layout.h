// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline from top to bottom, one per track or sampled value. Rows with the same
// label are close together.
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
  bool closed = false;    // headings: its rows are hidden
  std::size_t group = 0;  // of groups_of(); 0 in figures without headings
  std::size_t index = 0;  // into Timeline::tracks or lines; headings: the group
  Rect box;               // without the label, except for headings
  std::string label;      // empty: same as the row above
  // Filled in by find_visible():
  std::vector<TimelineBlock> blocks = {};  // for tracks
  std::vector<LineColumn> columns = {};    // for lines
};

struct TimelineRows {
  std::vector<TimelineRow> rows;  // from top to bottom
  double bottom = 0;
};

// Fills in the visible blocks or columns of the row.
void find_visible(TimelineRow& row, const Timeline& timeline, const TimeScale& scale,
                  const Rect& plot);

}  // namespace mansard::figure
