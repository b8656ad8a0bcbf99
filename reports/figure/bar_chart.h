// SPDX-License-Identifier: Apache-2.0
// Horizontal bars: of one value each, perhaps with a mark at what it is held against, or of parts
// that add up.
#pragma once

#include <optional>
#include <vector>

#include "reports/figure/chart_data.h"
#include "reports/figure/chart_frame.h"

namespace mansard::figure {

struct BarPart {
  std::size_t row = 0;     // into ChartData::bars and ChartFrame::rows
  std::size_t series = 0;  // into ChartData::series; 0 of bars that have none
  Rect rect;
};

struct BarReference {
  std::size_t row = 0;
  Segment mark;  // across the bar, and a little above and below it
};

struct BarChart {
  ChartFrame frame;
  // Of stacked bars one entry a series; of bars with references the bars and the references.
  std::vector<BarPart> parts;  // zero and what is no number have none
  std::vector<BarReference> references;
  std::vector<PlacedText> values;  // one a row
};

// `data` is of kind stacked_bars or bars. Parts follow each other without a gap, to the last digit;
// negative ones of stacked bars are not drawn.
BarChart layout_bar_chart(const ChartData& data, double width_px, const MeasureText& measure);

}  // namespace mansard::figure
