// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_layout.h"

#include <algorithm>

namespace mansard::figure {
namespace {

constexpr double kQuiet = 0.01;  // of the busiest stream's time

}  // namespace

RowHeights::RowHeights(const Timeline& timeline) {
  std::int64_t busiest_ns = 0;
  for (const TimelineTrack& track : timeline.tracks) {
    if (track.kind == TrackKind::stream) busiest_ns = std::max(busiest_ns, track.slices.busy_ns());
  }
  quiet_ns_ = kQuiet * static_cast<double>(busiest_ns);
}

double RowHeights::of_px(const TimelineTrack& track) const {
  switch (track.kind) {
    case TrackKind::steps:
      return 20;
    case TrackKind::device_ranges:
    case TrackKind::host_ranges:
      return 18;
    case TrackKind::stream:
      return static_cast<double>(track.slices.busy_ns()) < quiet_ns_ ? 16 : 34;
    case TrackKind::calls:
      return 14;
  }
  return 0;
}

void find_visible(TimelineRow& row, const Timeline& timeline, const TimeScale& scale,
                  const Rect& plot) {
  if (row.kind == RowKind::track) {
    row.blocks = visible_blocks(timeline.tracks[row.index].slices, scale, plot);
  }
  if (row.kind == RowKind::line) row.columns = visible_columns(timeline.lines[row.index], scale);
}

}  // namespace mansard::figure
