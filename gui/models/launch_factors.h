// SPDX-License-Identifier: Apache-2.0
// How long each launch took against the others of its row: what moves it in a plane.
#pragma once

#include <vector>

#include "gui/models/open_run.h"

namespace mansard::gui {

// Of duration over the row's mean, base 10, by launch: 4 bytes each. Not a number where there is no
// row, or no duration.
std::vector<float> launch_factors(const OpenRun& run);
float launch_factor(const OpenRun& run, std::size_t launch);

}  // namespace mansard::gui
