// SPDX-License-Identifier: Apache-2.0
// Facts about one launch for the details view.
#pragma once

#include "gui/models/open_run.h"
#include "gui/models/row_facts.h"

namespace mansard::gui {

// Start, duration, ratio to the row's median, stream, launch latency and enclosing ranges. `launch`
// is an index into OpenRun::launches.
FactSection facts_of_launch(const OpenRun& run, std::size_t launch);

// Names of the launch's range stack (analysis::LaunchRanges), outermost first. For a host range:
// its own name.
QStringList ranges_around(const OpenRun& run, std::size_t launch);

}  // namespace mansard::gui
