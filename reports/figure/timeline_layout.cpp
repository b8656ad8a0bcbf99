// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_layout.h"

#include <algorithm>

namespace mansard {
namespace {

constexpr double kQuiet = 0.01;  // of the busiest stream's time

// Streams are what one looks at, but for those on which hardly anything runs; calls are many and
// say little.
double height_px(TrackKind kind, bool quiet) {
  switch (kind) {
    case TrackKind::steps:
      return 20;
    case TrackKind::device_ranges:
    case TrackKind::host_ranges:
      return 18;
    case TrackKind::stream:
      return quiet ? 16 : 34;
    case TrackKind::calls:
      return 14;
  }
  return 0;
}

constexpr double kLaneGap_px = 1;
constexpr double kLabelGap_px = 8;  // between rows of different labels

}  // namespace

TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above,
                          const std::function<bool(std::size_t track)>& include) {
  TimelineRows out;
  const TimelineTrack* before = nullptr;
  double y = top;
  std::int64_t busiest_ns = 0;
  for (const TimelineTrack& track : timeline.tracks) {
    if (track.kind == TrackKind::stream) busiest_ns = std::max(busiest_ns, track.slices.busy_ns());
  }
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    if (!include(i)) continue;
    const TimelineTrack& track = timeline.tracks[i];
    const bool first = before == nullptr || before->label != track.label;
    if (before != nullptr) y += first ? kLabelGap_px : kLaneGap_px;
    if (first && labels_above) y += kRowLabel_px;
    const double least_ns = kQuiet * static_cast<double>(busiest_ns);
    const bool quiet = static_cast<double>(track.slices.busy_ns()) < least_ns;
    const double height = height_px(track.kind, quiet);
    out.rows.push_back({i, {left, y, right, y + height}, first});
    y += height;
    before = &track;
  }
  out.bottom = y;
  return out;
}

}  // namespace mansard
