// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/drawing.h"
#include "reports/figure/timeline_groups.h"
#include "reports/web/figure_html.h"

namespace mansard::reports {

// A static figure of one time window: the steps, ranges and streams of devices or, without devices,
// the ranges of threads. Its height depends on the number of rows.
PageFigure timeline_figure(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           std::string description);

// The tracks that the static figure omits. It shows tracks with slices in the window: the outermost
// ranges and the busiest streams of each device.
std::vector<bool> hidden_in_figure(const figure::Timeline& timeline,
                                   const figure::TimeSpan& window);

// The rows that the interactive figure omits; it shows more tracks, including threads.
// `has_slices`: tracks with slices on the page.
figure::HiddenRows hidden_in_interactive(const figure::Timeline& timeline,
                                         const std::vector<bool>& has_slices);

// The layout of a timeline at a given figure width.
struct TimelineFrame {
  bool labels_above = false;  // on narrow screens
  figure::Rect area;
  figure::Rect plot;
  std::vector<figure::TimelineRow> rows;
};
TimelineFrame timeline_frame(const figure::Timeline& timeline, const figure::HiddenRows& hidden,
                             double width_px);
// Draws a time window in a frame.
figure::Drawing draw_frame(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           TimelineFrame frame);

inline constexpr double kNarrowTimeline_px = 560;  // narrower figures have labels above their rows

// A small inline SVG for use before a class name: a box with the color and lines of the class.
std::string class_swatch(analysis::OperationClass slice_class);

}  // namespace mansard::reports
