// SPDX-License-Identifier: Apache-2.0
// Lines over a common x axis, each with an optional band, and a legend above the plot.
#pragma once

#include <optional>
#include <vector>

#include "reports/figure/chart_data.h"
#include "reports/figure/drawing.h"
#include "reports/figure/legend.h"
#include "reports/figure/linear_scale.h"

namespace mansard::figure {

struct ChartLine {
  std::size_t series = 0;  // into ChartData::series
  // Ascending x, without missing values. Where many values share a pixel: their first, lowest,
  // highest and last.
  std::vector<Point> points;
  std::vector<Point> band;  // closed outline of the ranges; may be empty
  std::vector<Point> dots;  // of the values, if there are few
};

// The strip of the plot in which a position on the x axis is nearest. Positions closer than a few
// pixels share one strip, which belongs to one of them.
struct ChartStrip {
  std::size_t bar = 0;  // into ChartData::bars
  Rect area;
  double x = 0;  // of the position itself
};

struct LineChart {
  double width = 0;
  double height = 0;
  Rect plot;
  std::vector<Tick> x_ticks;
  std::vector<PlacedText> x_names;  // one each, below the plot
  std::vector<Tick> y_ticks;
  std::vector<PlacedText> y_names;  // one each, left of the plot
  PlacedText x_axis;
  PlacedText y_axis;  // with the unit, above the plot
  Legend legend;      // none for a single line
  std::vector<ChartLine> lines;
  std::vector<ChartStrip> strips;
};

// `data` is of kind lines. The value axis covers the values, and does not start at zero unless they
// are close to it.
LineChart layout_line_chart(const ChartData& data, double width_px, const MeasureText& measure);

// Links: {bar, index into data.bars} for the strip of each position, with bar_tooltip(). Draws a
// line through the position `marked`.
Drawing draw(const LineChart& chart, const ChartData& data, std::optional<std::size_t> marked);

}  // namespace mansard::figure
