// SPDX-License-Identifier: Apache-2.0
// What all charts of horizontal bars have in common: a row a bar with its name, an axis of values
// below, room for a value behind every bar, and the legend above.
#pragma once

#include <string>
#include <vector>

#include "analyzer/table.h"
#include "reports/figure/legend.h"
#include "reports/figure/linear_scale.h"

namespace mansard::figure {

struct FrameContent {
  std::vector<std::string> names;   // of the bars
  std::vector<std::string> values;  // the text behind each
  std::vector<std::string> legend;
  analysis::Column column;  // of the values: names the axis
  double low = 0;           // of all that is drawn; the axis has zero in any case
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
  double height = 0;  // likewise; follows from the rows
  Rect plot;          // where bars and grid are
  LinearScale scale;  // in the column's base unit
  std::vector<Tick> ticks;
  std::vector<PlacedText> tick_names;  // one each, below the plot
  PlacedText axis_name;
  Legend legend;
  std::vector<FrameRow> rows;
  double value_width = 0;  // of the room behind the plot
};

// Names stand to the left of the bars; in a narrow figure with long names above them.
ChartFrame layout_frame(const FrameContent& content, double width_px, const MeasureText& measure);

// The text behind what is drawn of a row, which ends at `right`.
PlacedText place_value(const ChartFrame& frame, std::size_t row, double right, std::string text,
                       const MeasureText& measure);

}  // namespace mansard::figure
