// SPDX-License-Identifier: Apache-2.0
// A timeline as the page's script draws it: the rows in both layouts of the figure, the slices of
// each track as columns of whole numbers, and the looks that they have. Times are nanoseconds since
// time zero (analyzer/profile_times.h), whose recorded time is "origin_ns".
#pragma once

#include <string>
#include <vector>

#include "reports/figure/shown_step.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::reports {

struct TimelineData {
  std::string json;
  // "99000 of 250000 kernel launches (33 typical steps)": one of each kind of which there is more
  // than the page may hold.
  std::vector<std::string> parts;
  std::size_t left_out = 0;  // tracks and sampled values without a row, which would be too many
};

// The JSON, in which a style is a number in "styles" (CSS):
//   layouts  per least width of the figure: the plot's left, top, and distance from the right edge;
//            where labels stand; rows [track, top, height, [label, y, style]...], numbered through
//            tracks and lines
//   sizes, axis, inks: numbers of timeline_metrics.h and time_ticks.h, and colors beside the boxes
//   tracks   {kind, label, device, ground, start_ns, duration_ns, name}; of streams also
//            launch_latency_ns, call, within and bytes
//   lines    {label, time_ns, y}, counted from the top of the row
//   names    [look, text or row of the kernel], [look] of a kernel beyond the page's rows
//   looks    {class, fill, faded, merged, name, faded_name, lines, rises} of slice_style.h; of
//            streams also style and shape for legends
//
// Within the limits of page_limits.h, chosen by slices_of_steps(). Of samples every so many are
// taken. Kernels of rows from `rows_on_page` on have the row -1.
TimelineData timeline_data(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                           const figure::ShownStep& shown, std::size_t rows_on_page);

}  // namespace mansard::reports
