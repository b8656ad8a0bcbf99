// SPDX-License-Identifier: Apache-2.0
// Launches of CUDA graphs that were running when a recording window ended.
#pragma once

#include <cstddef>

#include "collector/store/profile.h"

namespace mansard::analysis {

// Removes the kernels of such launches, and returns their number. Once CUPTI stops recording, the
// next launches of the same graph overwrite the end times of its last launch: 5 launches later, the
// kernels of a stream seem to have run for 5 steps, all at once. Their starts are right, but the
// step is incomplete anyway.
std::size_t remove_cut_graphs(store::Profile& profile);

}  // namespace mansard::analysis
