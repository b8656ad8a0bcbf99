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

TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above,
                          const std::function<bool(std::size_t track)>& include) {
  TimelineRows out;
  const TimelineTrack* before = nullptr;
  double y = top;
  const RowHeights heights(timeline);
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    if (!include(i)) continue;
    const TimelineTrack& track = timeline.tracks[i];
    const bool first = before == nullptr || before->label != track.label;
    if (before != nullptr) y += first ? kLabelGap_px : kLaneGap_px;
    if (first && labels_above) y += kRowLabel_px;
    const double height = heights.of_px(track);
    out.rows.push_back({.index = i,
                        .box = {left, y, right, y + height},
                        .label = first ? track.label : std::string()});
    y += height;
    before = &track;
  }
  out.bottom = y;
  return out;
}

}  // namespace mansard::figure
