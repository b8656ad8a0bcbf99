// SPDX-License-Identifier: Apache-2.0
// What views say about one launch.
#pragma once

#include "gui/models/open_run.h"
#include "gui/models/row_facts.h"

namespace mansard::gui {

// When and where it ran, how long against the median of its row, its launch latency, and the ranges
// of the program around it. `launch` is an index into OpenRun::launches.
FactSection facts_of_launch(const OpenRun& run, std::size_t launch);

// Names of the ranges around the launch, the outermost first, as
// analyzer/attribution/launch_ranges.h defines them; empty where no API call was recorded. Of a
// host run's range its own name.
QStringList ranges_around(const OpenRun& run, std::size_t launch);

}  // namespace mansard::gui
