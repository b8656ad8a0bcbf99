// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/figure/timeline_tracks.h"
#include "reports/web/figure_html.h"

namespace mansard::reports {

// The devices' part of a timeline in one window of time, as tall as its rows need: steps, ranges
// and streams; of a run without devices the ranges of its threads.
PageFigure timeline_figure(const figure::Timeline& timeline, const figure::TimeSpan& window,
                           std::string description);

// Which of the timeline's tracks the figure has, which is looked at, not scrolled through: those
// with slices in the window, the outermost ranges and the busiest streams of each device.
std::vector<bool> tracks_in_figure(const figure::Timeline& timeline,
                                   const figure::TimeSpan& window);

// A small inline SVG in front of a class's name: a box of its color, with its lines.
std::string class_swatch(analysis::OperationClass slice_class);

}  // namespace mansard::reports
