// SPDX-License-Identifier: Apache-2.0
// Draws a timeline: the axis of time, the rows with their labels, and what is visible in them.
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
  Rect plot;                          // of the rows without their labels; the axis is above
  std::span<const TimelineRow> rows;  // filled in by find_visible(); may reach out of the plot
  bool labels_above = false;          // of the rows, for narrow screens; else to the left of them
};

// Whether a block passes a filter; what does not is faded. Empty: everything passes.
using BlockFilter = std::function<bool(std::size_t track, const TimelineBlock& block)>;

// Adds the timeline to `out`, laid out for the font that `names` measures. Rectangles lie on whole
// pixels. Links: {heading, group}, {track, track} and {value_line, line} for the whole of a row and
// its label, and {slice, track, first slice} for a block and its name.
void draw_timeline(Drawing& out, const ShownTimeline& shown, SliceNames& names,
                   const BlockFilter& passes = {});

// Where the labels of all rows stand: their anchor, and the room that they have.
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
// Empty below another row of its label; a sampled value has its range in the second one or, above
// its row, behind its name.
std::vector<RowLabel> row_labels(const TimelineRow& row, const Timeline& timeline,
                                 bool labels_above);

// Where a sampled value is in its row, which is as high as the values' range.
double value_y(const Rect& row, const ValueRange& range, double value);

// To whole pixels, one at least in each direction.
Rect snapped(const Rect& rect);

inline Link slice_link(std::size_t track, std::size_t slice) {
  return {Link::To::slice, static_cast<std::uint32_t>(track), static_cast<std::uint32_t>(slice)};
}

}  // namespace mansard::figure
