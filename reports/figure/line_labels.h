// SPDX-License-Identifier: Apache-2.0
// Where the names of lines and regions go, so that none covers another: of ceilings that end at the
// right edge in the margin there, pushed apart where they lie close; of all others along the line.
#pragma once

#include <span>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/text_box.h"

namespace mansard::figure {

struct LineLabel {
  std::size_t line = 0;  // into the lines given
  OrientedBox box;       // the text, centerd in it
  Segment leader;        // in the margin: from the line's end to the text
};

struct RegionLabel {
  std::size_t region = 0;  // into PlaneFigure::regions
  OrientedBox box;
};

// What a line's label shares the figure with.
struct LabelRoom {
  Rect plot;
  double margin_left = 0;                       // of the labels to the right of the plot
  std::span<const OrientedBox> labels = {};     // placed already: kept clear of always
  std::span<const OrientedBox> obstacles = {};  // marks: kept clear of where it can
};

// Centers in the order of `wanted` (rising), each as near to its wanted place as keeps neighbors
// `extent` apart and all of them between `low` and `high`. Of least squared displacement; the ends
// are kept even where the labels cannot all fit.
std::vector<double> spread(std::span<const double> wanted, double extent, double low, double high);

// In the corners of the plot, for those that fit.
std::vector<RegionLabel> place_region_labels(std::span<const PlaneRegion> regions, const Rect& plot,
                                             const MeasureText& measure);

// Labels of the lines that cross the plot and have one. Where more lines end at the right edge than
// there is room for in the margin, the lower neighbors of close pairs go unnamed. A label along a
// line keeps clear of the other labels always, and of other lines and of marks where it can; that
// of an iso line goes unnamed rather than cover any.
std::vector<LineLabel> place_line_labels(std::span<const PlaneLine> lines, const LogScale& x,
                                         const LogScale& y, const LabelRoom& room,
                                         const MeasureText& measure);

}  // namespace mansard::figure
