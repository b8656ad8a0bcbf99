// SPDX-License-Identifier: Apache-2.0
// Rich text for the tooltip of a timeline slice. Times count from time zero
// (analyzer/profile_times.h).
#pragma once

#include <QString>

#include "gui/models/open_run.h"
#include "reports/figure/timeline.h"

namespace mansard::gui {

// Of one slice: what it is, when and how long, and of a kernel how its row does. Of several: how
// many, how busy, and what most of it is.
QString facts_of_block(const OpenRun& run, std::size_t track, const figure::TimelineBlock& block);

// The last sample at or before a time, else the first. `line`: into Timeline::lines.
QString facts_of_line(const OpenRun& run, std::size_t line, std::int64_t time_ns);

}  // namespace mansard::gui
