// SPDX-License-Identifier: Apache-2.0
// Launches of CUDA graphs that were running when a recording window ended.
#pragma once

#include <cstddef>

#include "collector/store/profile.h"

namespace mansard::analysis {

// Removes the kernels of such launches, and returns their number. After CUPTI has stopped
// recording, later launches of the same graph overwrite the end times of its last recorded launch
// (CUDA 13.0): all its kernels seem to run at once, for several steps. Their starts are right, but
// without ends the step cannot be used.
std::size_t remove_cut_graphs(store::Profile& profile);

}  // namespace mansard::analysis
