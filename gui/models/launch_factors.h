// SPDX-License-Identifier: Apache-2.0
// Duration of each launch relative to the mean of its row; it moves the launch's point in a plane.
#pragma once

#include <vector>

#include "gui/models/open_run.h"

namespace mansard::gui {

// log10(duration / mean of the row) by launch, 4 bytes each. NaN without a row or a duration.
std::vector<float> launch_factors(const OpenRun& run);
float launch_factor(const OpenRun& run, std::size_t launch);

}  // namespace mansard::gui
