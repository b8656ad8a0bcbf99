// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/drawing.h"
#include "reports/figure/timeline_groups.h"
#include "reports/web/figure_html.h"

namespace mansard::reports {

// The devices' part of a timeline in one window of time, as tall as its rows need: steps, ranges
// and streams; of a run without devices the ranges of its threads.
PageFigure timeline_figure(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           std::string description);

// Which of the timeline's tracks the figure leaves out, since it is looked at, not scrolled
// through: it has those with slices in the window, the outermost ranges and the busiest streams of
// each device.
std::vector<bool> hidden_in_figure(const figure::Timeline& timeline,
                                   const figure::TimeSpan& window);

// And the interactive figure, which has more of them, also of threads. `has_slices`: the tracks of
// which the page has any.
figure::HiddenRows hidden_in_interactive(const figure::Timeline& timeline,
                                         const std::vector<bool>& has_slices);

// A timeline in a figure of some width, from its axis to its last row.
struct TimelineFrame {
  bool labels_above = false;  // on narrow screens
  figure::Rect area;
  figure::Rect plot;
  std::vector<figure::TimelineRow> rows;
};
TimelineFrame timeline_frame(const figure::Timeline& timeline, const figure::HiddenRows& hidden,
                             double width_px);
// What the frame shows of a window of time.
figure::Drawing draw_frame(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           TimelineFrame frame);

inline constexpr double kNarrowTimeline_px = 560;  // narrower figures have labels above their rows

// A small inline SVG in front of a class's name: a box of its color, with its lines.
std::string class_swatch(analysis::OperationClass slice_class);

}  // namespace mansard::reports
