// SPDX-License-Identifier: Apache-2.0
// Places the names of lines and regions without overlaps. Ceilings that end at the right edge have
// their names in the margin, pushed apart if necessary; other lines have them along the line.
#pragma once

#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/text_box.h"

namespace mansard::figure {

struct LineLabel {
  std::size_t line = 0;  // index into the given lines
  OrientedBox box;       // the text, centerd in it
  Segment leader;        // for labels in the margin: from the line's end to the text
};

struct RegionLabel {
  std::size_t region = 0;  // into PlaneFigure::regions
  OrientedBox box;
};

// The surroundings of a line's label.
struct LabelRoom {
  Rect plot;
  double margin_left = 0;                       // left edge of the labels right of the plot
  std::span<const OrientedBox> labels = {};     // already placed: never overlapped
  std::span<const OrientedBox> obstacles = {};  // marks: avoided if possible
};

// Returns centers in the order of `wanted` (ascending) that are at least `extent` apart and between
// `low` and `high`, with the least squared displacement from `wanted`. The bounds hold even if the
// labels do not fit.
std::vector<double> spread(std::span<const double> wanted, double extent, double low, double high);

// Places region names in the corners of the plot if they fit.
std::vector<RegionLabel> place_region_labels(std::span<const PlaneRegion> regions, const Rect& plot,
                                             const MeasureText& measure);

// Labels of the lines that cross the plot. If the margin has no room for all lines that end at the
// right edge, the lower of two close lines has no label. A label along a line never overlaps other
// labels, and avoids other lines and marks if possible; an iso line has no label rather than one
// that overlaps any of them.
std::vector<LineLabel> place_line_labels(std::span<const PlaneLine> lines, const LogScale& x,
                                         const LogScale& y, const LabelRoom& room,
                                         const MeasureText& measure);

}  // namespace mansard::figure
