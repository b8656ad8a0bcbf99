// SPDX-License-Identifier: Apache-2.0
// Rich text for the tooltip of a timeline slice. Times count from time zero
// (analyzer/profile_times.h).
#pragma once

#include <QString>

#include "gui/models/open_run.h"
#include "reports/figure/timeline.h"

namespace mansard::gui {

// For one slice: name, class, start, duration and, for kernels, totals of the row. For several:
// their number, busy share and dominant class.
QString facts_of_block(const OpenRun& run, std::size_t track, const figure::TimelineBlock& block);

// The last sample at or before a time, otherwise the first. `index`: into Timeline::lines.
QString facts_of_line(const OpenRun& run, std::size_t line, std::int64_t time_ns);

}  // namespace mansard::gui
