// SPDX-License-Identifier: Apache-2.0
// What a timeline shows, in numbers.
#pragma once

#include <vector>

#include "analyzer/table.h"
#include "gui/models/open_run.h"

namespace mansard::gui {

// The time of each class on the devices in the window, and the longest slices that begin in it: one
// pass through their durations, some 20 ms for ten million.
std::vector<analysis::Table> timeline_tables(const OpenRun& run, const figure::TimeSpan& window);

}  // namespace mansard::gui
