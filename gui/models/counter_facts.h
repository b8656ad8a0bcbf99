// SPDX-License-Identifier: Apache-2.0
// What the hardware counted of a row's launches.
#pragma once

#include "gui/models/row_facts.h"

namespace mansard::gui {

// The mean of each metric over the launches in which it was read, by the metric's name and in its
// own unit; without facts where none was.
FactSection facts_of_counters(const analysis::RunAnalysis& run, const analysis::KernelRow& row);

}  // namespace mansard::gui
