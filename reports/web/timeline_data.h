// SPDX-License-Identifier: Apache-2.0
// The data of the interactive timeline: the rows of both layouts, the slices of each track as
// columns of integers, and their styles. Times are nanoseconds since time zero
// (analyzer/profile_times.h), whose recorded time is "origin_ns".
#pragma once

#include <string>
#include <vector>

#include "reports/figure/shown_step.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::reports {

struct TimelineData {
  std::string json;
  // "99000 of 250000 kernel launches (33 typical steps)": one for each kind of slice with more
  // than the page can hold.
  std::vector<std::string> parts;
  std::size_t left_out = 0;  // number of tracks and sampled values omitted to limit the rows
};

// The JSON, in which a style is a number in "styles" (CSS):
//   layouts  per least width of the figure: left, top and distance from the right edge of the plot;
//            label positions; rows [track, top, height, [label, y, style]...], numbered through
//            tracks and lines
//   sizes, axis, inks: numbers of timeline_metrics.h and time_ticks.h, and colors beside the boxes
//   tracks   {kind, label, device, ground, gap_ns, duration_ns, name}; of streams also
//            launch_latency_ns, call, within and bytes
//   lines    {label, time_ns, y}, counted from the top of the row
//   names    [look, text or row of the kernel], [look] for a kernel not in the page's table
//   looks    {class, fill, faded, merged, name, faded_name, lines, rises} of slice_style.h; of
//            streams also style and shape for legends
//
// The slices are selected by slices_of_steps() within the limits of page_limits.h; samples are
// thinned out evenly. Kernels with a row number of at least `rows_on_page` have the row -1.
TimelineData timeline_data(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                           const figure::ShownStep& shown, std::size_t rows_on_page);

}  // namespace mansard::reports
