// SPDX-License-Identifier: Apache-2.0
// Horizontal bars, either of one value each with an optional reference mark, or stacked.
#pragma once

#include <optional>
#include <vector>

#include "reports/figure/chart_data.h"
#include "reports/figure/chart_frame.h"

namespace mansard::figure {

struct BarPart {
  std::size_t row = 0;     // into ChartData::bars and ChartFrame::rows
  std::size_t series = 0;  // into ChartData::series; 0 for bars that are not stacked
  Rect rect;
};

struct BarReference {
  std::size_t row = 0;
  Segment mark;  // across the bar, and a little above and below it
};

struct BarChart {
  ChartFrame frame;
  // Stacked bars: one entry per series. Bars with references: the bars and the references.
  std::vector<BarPart> parts;  // none for zero and NaN
  std::vector<BarReference> references;
  std::vector<PlacedText> values;  // one per row
};

// `data` is of kind stacked_bars or bars. Parts are adjacent without rounding gaps. Negative parts
// of stacked bars are not drawn.
BarChart layout_bar_chart(const ChartData& data, double width_px, const MeasureText& measure);

}  // namespace mansard::figure
