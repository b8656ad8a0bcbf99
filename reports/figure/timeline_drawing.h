// SPDX-License-Identifier: Apache-2.0
// Draws a timeline: the time axis, and the rows with their labels, boxes and lines.
#pragma once

#include <functional>
#include <span>

#include "reports/figure/drawing.h"
#include "reports/figure/slice_names.h"
#include "reports/figure/timeline_layout.h"

namespace mansard::figure {

struct ShownTimeline {
  const Timeline& timeline;
  const TimeScale& scale;
  Rect area;                          // of the figure
  Rect plot;                          // of the rows without labels; the axis is above
  std::span<const TimelineRow> rows;  // filled in by find_visible(); may extend beyond the plot
  bool labels_above = false;          // labels above the rows (narrow screens); else left of them
  // Rows that stay at the top while the others scroll, from plot.top to pinned_bottom.
  std::span<const TimelineRow> pinned = {};
  double pinned_bottom = 0;
};

// Whether a block passes the filter; others are faded. Empty: all pass.
using BlockFilter = std::function<bool(std::size_t track, const TimelineBlock& block)>;

// Adds the timeline to `out`, laid out for the font measured by `names`. Rectangles are aligned to
// pixels. Links: {heading, group}, {track, track} and {value_line, line} for a row with its label,
// and {slice, track, first slice} for a block with its name.
void draw_timeline(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                   const BlockFilter& passes = {});

// Anchor and available width of the row labels.
struct RowLabelPlace {
  TextAnchor anchor = TextAnchor::end;
  double x = 0;
  double room_px = 0;
};
RowLabelPlace row_label_place(const Rect& area, const Rect& plot, bool labels_above);

struct RowLabel {
  std::string text;
  double y = 0;
  bool faint = false;
};
// The lines of a row's label. Empty if the row above has the same label. The label of a sampled
// value includes its range, in the second line or, above its row, after its name.
std::vector<RowLabel> row_labels(const TimelineRow& row, const Timeline& timeline,
                                 bool labels_above);

// The vertical position of a sampled value in its row, which spans the range of the values.
double value_y(const Rect& row, const ValueRange& range, double value);

// Aligned to pixels, at least one pixel in each direction.
Rect snapped(const Rect& rect);

inline Link slice_link(std::size_t track, std::size_t slice) {
  return {Link::To::slice, static_cast<std::uint32_t>(track), static_cast<std::uint32_t>(slice)};
}

}  // namespace mansard::figure
