// SPDX-License-Identifier: Apache-2.0
// Histogram of the durations of a kernel's launches, with median, 95th percentile and range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/classify/operation_class.h"
#include "reports/figure/drawing.h"
#include "reports/figure/ticks.h"

namespace mansard::figure {

struct LaunchSample {
  std::vector<double> durations_s;
  std::vector<bool> passes = {};             // the filter; empty: all do
  std::optional<std::size_t> selected = {};  // into durations_s
  std::int64_t disturbed = 0;  // launches while counters were read, which are left out
  analysis::OperationClass operation_class = {};
};

struct DurationBin {
  double from_s = 0;  // included
  double to_s = 0;    // excluded, except in the last bin
  std::int64_t launches = 0;
  std::int64_t passing = 0;
  Rect rect;          // as high as `launches`
  Rect passing_rect;  // as high as `passing`
};

// A vertical line with its name above the plot: each name has a line of its own, as the values may
// be equal.
struct DurationMark {
  double value_s = 0;
  Segment line;
  PlacedText name;
};

struct LaunchHistogram {
  double width = 0;
  double height = 0;
  Rect plot;
  bool logarithmic = false;  // the x axis: the longest launch takes much longer than the shortest
  std::vector<DurationBin> bins;
  std::vector<std::uint32_t> bin_of;  // by launch
  double min_s = 0;
  double median_s = 0;
  double p95_s = 0;
  double max_s = 0;
  PlacedText title;                 // "96 undisturbed launches: duration (µs)"
  std::vector<DurationMark> marks;  // median, 95th percentile, the selected launch
  std::vector<Tick> ticks;          // of durations
  std::vector<PlacedText> tick_names;
  std::vector<Tick> count_ticks;
  std::vector<PlacedText> count_names;
  PlacedText least;  // "min 12.1 µs", below the axis at the left
  PlacedText most;   // "max 20.3 µs", at the right
};

// Returns nothing without launches. The height must be at least kLeastHistogram_px.
inline constexpr double kLeastHistogram_px = 160;
std::optional<LaunchHistogram> layout_launch_histogram(const LaunchSample& sample, double width_px,
                                                       double height_px,
                                                       const MeasureText& measure);

// Links: {bar, index into bins}, each across the height of the plot, with a tooltip. Launches that
// do not pass the filter are pale.
Drawing draw(const LaunchHistogram& histogram, analysis::OperationClass operation_class);

// "12.1 to 12.5 µs: 34 launches (8.1 %)"
std::string describe(const DurationBin& bin, const LaunchHistogram& histogram);

}  // namespace mansard::figure
