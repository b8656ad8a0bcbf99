// SPDX-License-Identifier: Apache-2.0
// Tables of the data that a timeline shows.
#pragma once

#include <vector>

#include "analyzer/table.h"
#include "gui/models/open_run.h"

namespace mansard::gui {

// The time of each class on the devices in the window, and the longest slices that start in it: one
// pass over their durations, about 20 ms for 1e7 slices.
std::vector<analysis::Table> timeline_tables(const OpenRun& run, const figure::TimeSpan& window);

}  // namespace mansard::gui
