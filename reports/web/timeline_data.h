// SPDX-License-Identifier: Apache-2.0
// A timeline as the page's script reads it: columns of whole numbers. Times are nanoseconds since
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
};

// Within the limits of page_limits.h, chosen by slices_of_steps(). Of samples every so many are
// taken. Kernels of rows from `rows_on_page` on have the row -1.
TimelineData timeline_data(const analysis::RunAnalysis& run, const figure::Timeline& timeline,
                           const figure::ShownStep& shown, std::size_t rows_on_page);

}  // namespace mansard::reports
