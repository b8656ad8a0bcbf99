// SPDX-License-Identifier: Apache-2.0
// The common frame of charts with horizontal bars: one named row per bar, the value axis below,
// room for a value after each bar, and the legend above.
#pragma once

#include <string>
#include <vector>

#include "analyzer/table.h"
#include "reports/figure/legend.h"
#include "reports/figure/linear_scale.h"

namespace mansard::figure {

struct FrameContent {
  std::vector<std::string> names;   // of the bars
  std::vector<std::string> values;  // the text after each bar
  std::vector<std::string> legend;
  analysis::Column column;  // of the values; labels the axis
  double low = 0;           // lowest drawn value; the axis always includes zero
  double high = 0;
};

struct FrameRow {
  PlacedText name;
  double top = 0;  // of the bar
  double bottom = 0;
  double middle() const { return (top + bottom) / 2; }
};

struct ChartFrame {
  double width = 0;   // of the whole figure, from 0
  double height = 0;  // of the whole figure; depends on the rows
  Rect plot;          // where bars and grid are
  LinearScale scale;  // in the column's base unit
  std::vector<Tick> ticks;
  std::vector<PlacedText> tick_names;  // one each, below the plot
  PlacedText axis_name;
  Legend legend;
  std::vector<FrameRow> rows;
  double value_width = 0;  // of the room for values right of the plot
};

// Names are left of the bars or, in narrow figures with long names, above them.
ChartFrame layout_frame(const FrameContent& content, double width_px, const MeasureText& measure);

// The name of a value axis: "step so far (ms)"; percentages have no prefix. Without a
// label, only the unit.
std::string axis_name(const analysis::Column& column, const std::string& prefix);

// The value text of a row whose bar ends at `right`.
PlacedText place_value(const ChartFrame& frame, std::size_t row, double right, std::string text,
                       const MeasureText& measure);

}  // namespace mansard::figure
