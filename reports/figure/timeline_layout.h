// SPDX-License-Identifier: Apache-2.0
// The rows of a timeline from top to bottom: one a track, those of one label close together.
#pragma once

#include <functional>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

// Streams are what one looks at, but for those on which hardly anything runs; calls are many and
// say little.
class RowHeights {
 public:
  explicit RowHeights(const Timeline& timeline);
  double of_px(const TimelineTrack& track) const;

 private:
  double quiet_ns_;  // below it, next to the busiest stream, one is quiet
};

inline constexpr double kLineRow_px = 34;  // of a sampled value
inline constexpr double kLaneGap_px = 1;   // between rows of one label
inline constexpr double kLabelGap_px = 8;  // and of different ones

struct TimelineRow {
  std::size_t track = 0;  // into Timeline::tracks
  Rect box;
  bool first_of_label = false;  // the row that the label stands beside
};

struct TimelineRows {
  std::vector<TimelineRow> rows;
  double bottom = 0;
};

// Rows of the tracks for which `include` is true, from `top` on, between `left` and `right`. With
// `labels_above`, for narrow screens, each label has a line of its own above its rows, else it is
// to the left of them.
TimelineRows lay_out_rows(const Timeline& timeline, double left, double right, double top,
                          bool labels_above, const std::function<bool(std::size_t track)>& include);

inline constexpr double kRowLabel_px = 18;  // of a label above its rows

}  // namespace mansard::figure
