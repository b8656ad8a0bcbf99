// SPDX-License-Identifier: Apache-2.0
// A waterfall lying on its side: where it starts, what each line adds or takes away, where it ends.
#pragma once

#include <vector>

#include "reports/figure/chart_data.h"
#include "reports/figure/chart_frame.h"

namespace mansard::figure {

enum class WaterfallRole { total, loss, gain };

struct WaterfallBar {
  std::size_t row = 0;  // into ChartData::bars and ChartFrame::rows
  WaterfallRole role = WaterfallRole::total;
  Rect rect;           // of no width where there is nothing to draw
  bool drawn = false;  // not: zero, or a value that is no number
  PlacedText value;
};

struct Waterfall {
  ChartFrame frame;
  std::vector<WaterfallRole> legend;  // of the frame's entries
  std::vector<WaterfallBar> bars;     // one a row
  // From the end of a bar down to the begin of the next, round the names between them.
  std::vector<Segment> connectors;
};

// `data` is of kind waterfall. Every bar begins where the one above it ends, to the last digit.
Waterfall layout_waterfall(const ChartData& data, double width_px, const MeasureText& measure);

}  // namespace mansard::figure
