// SPDX-License-Identifier: Apache-2.0
// A horizontal waterfall chart: the start value, the difference of each line, and the end value.
#pragma once

#include <vector>

#include "reports/figure/chart_data.h"
#include "reports/figure/chart_frame.h"

namespace mansard::figure {

enum class WaterfallRole { total, loss, gain };

struct WaterfallBar {
  std::size_t row = 0;  // into ChartData::bars and ChartFrame::rows
  WaterfallRole role = WaterfallRole::total;
  Rect rect;           // zero width if there is nothing to draw
  bool drawn = false;  // false: zero or NaN
  PlacedText value;
};

struct Waterfall {
  ChartFrame frame;
  std::vector<WaterfallRole> legend;  // roles of the frame's legend entries
  std::vector<WaterfallBar> bars;     // one per row
  // Lines from the end of a bar to the start of the next, around the names between them.
  std::vector<Segment> connectors;
};

// `data` is of kind waterfall. Every bar starts exactly where the one above it ends.
Waterfall layout_waterfall(const ChartData& data, double width_px, const MeasureText& measure);

}  // namespace mansard::figure
