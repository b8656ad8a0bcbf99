// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: the first table of a report of more than one run.
#pragma once

#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// One row per run, in the given order: date, device, time of a typical step, slowdown vs. SOL,
// difference to the first run, and what to change first. A second table has the parts of each
// run's step, for stacked bars on one scale. Runs without steps are given as a whole, in a column
// of their own, and are not compared with those that have steps. With at least three runs on two
// days or more, a third table has the step time over the days.
Finding runs_finding(const std::vector<RunAnalysis>& runs);

}  // namespace mansard::analysis
