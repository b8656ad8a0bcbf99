// SPDX-License-Identifier: Apache-2.0
// Hardware counter values of a row's launches.
#pragma once

#include "gui/models/row_facts.h"

namespace mansard::gui {

// The mean of each metric over the launches for which it was collected, in the metric's own unit.
// Has no facts if no counters were collected.
FactSection facts_of_counters(const analysis::RunAnalysis& run, const analysis::KernelRow& row);

}  // namespace mansard::gui
