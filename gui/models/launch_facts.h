// SPDX-License-Identifier: Apache-2.0
// What views say about one launch.
#pragma once

#include "gui/models/open_run.h"
#include "gui/models/row_facts.h"

namespace mansard {

// When and where it ran, how long against the median of its row, when it was called, and the ranges
// of the program around that. `launch` is an index into OpenRun::launches.
FactSection facts_of_launch(const OpenRun& run, std::size_t launch);

// Names of the ranges around the launch, the outermost first; empty where no call was recorded. Of
// the launching thread and then of the one with the steps, as far as the timeline has them: the
// cost is a few searches.
QStringList ranges_around(const OpenRun& run, std::size_t launch);

}  // namespace mansard
