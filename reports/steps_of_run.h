// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/steps/step_times.h"

namespace mansard {

// Of each device; none where no range has the name that steps were said to have. A page then shows
// what it can; commands refuse such a name.
std::vector<DeviceSteps> steps_of_run(const RunAnalysis& run);

}  // namespace mansard
