// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/formats/shape.h"
#include "kernels/recipes/linear_layer.h"

namespace mansard::kernels {

// Neither square nor a multiple of a tile, but of the scales' blocks.
inline const LinearProblem kSmallProblem = {"small", 160, 96, 224, DataPattern::random_normal, 5};
inline constexpr Shape kSmallX = {160, 96}, kSmallW = {224, 96}, kSmallDy = {160, 224};

}  // namespace mansard::kernels
