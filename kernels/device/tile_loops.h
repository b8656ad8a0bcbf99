// SPDX-License-Identifier: Apache-2.0
// Entries of dot_loops.h that multiply matrices in tile registers (Intel AMX).
#pragma once

#include <vector>

#include "kernels/device/dot_loops.h"

namespace mansard::kernels {

// Empty if this build's compiler has no AMX support.
std::vector<DotLoop> tile_loops();

}  // namespace mansard::kernels
