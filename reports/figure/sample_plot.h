// SPDX-License-Identifier: Apache-2.0
// The samples of a ceiling in the order of measurement: the value and, below it, the clock and
// power of the same samples if known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "reports/figure/drawing.h"
#include "reports/figure/linear_scale.h"

namespace mansard::figure {

struct SampleDot {
  std::size_t sample = 0;  // into Ceiling::samples
  Point at;
};

struct SampleStrip {
  std::string name;  // "rate", "clock"
  std::string unit;
  Rect plot;
  LinearScale scale;  // pointing down; does not start at zero, since samples differ by little
  std::vector<Tick> ticks;
  std::vector<PlacedText> tick_names;  // one per tick, left of the plot
  PlacedText title;                    // "rate (TFLOP/s)", above the plot
  std::vector<SampleDot> dots;         // finite values only
  // Statistics of the samples that count: in a sustained measurement those after the clock had
  // settled.
  double middle = 0;  // the ceiling's value, or the median of clocks and powers
  double low = 0;     // first quartile
  double high = 0;    // third
  Segment middle_line;
  Rect quartiles;
  PlacedText middle_name;  // "median 941 TFLOP/s", above the plot at its right
};

struct SamplePlot {
  double width = 0;
  double height = 0;
  std::vector<SampleStrip> strips;  // the value first
  std::vector<Tick> ticks;          // of sample numbers, from 1
  std::vector<PlacedText> tick_names;
  PlacedText axis_name;
  std::vector<Segment> campaigns;  // separators between campaigns
};

// Returns nothing if the ceiling has no samples (published figures).
std::optional<SamplePlot> layout_sample_plot(const roofline::Ceiling& ceiling, double width_px,
                                             double height_px, const MeasureText& measure);

// Links: {sample, index into the ceiling's samples}. Samples at a throttled clock have the loss
// color; those before the clock had settled are hollow.
Drawing draw(const SamplePlot& plot, const roofline::Ceiling& ceiling);

}  // namespace mansard::figure
