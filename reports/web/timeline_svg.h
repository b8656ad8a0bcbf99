// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/timeline_tracks.h"
#include "reports/web/theme.h"

namespace mansard {

// The devices' part of a timeline in one window of time, as tall as its rows need: steps, ranges
// and streams; of a run without devices the ranges of its threads. Times on the axis count from the
// window's start.
std::string timeline_svg(const Timeline& timeline, const TimeSpan& window, double width,
                         std::string_view css_class, std::string_view escaped_description);

// Of slices of a stream. What is no kernel has the colours of the kernels that do the same.
ThemedColour slice_colour(std::string_view slice_class);

}  // namespace mansard
