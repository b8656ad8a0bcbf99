// SPDX-License-Identifier: Apache-2.0
// The scale of a whole tensor as kernel argument, see ScaleSource in kernels/fp8/fp8.h.
#pragma once

#include "kernels/fp8/device/arithmetic.cuh"
#include "kernels/fp8/fp8.h"

namespace mansard::kernels::fp8::device {

// With current scaling each thread computes the scale itself, which is cheaper than a separate
// kernel before the cast; thread 0 of the grid stores it to memory.
template <Format F>
__device__ __forceinline__ float take_scale(const ScaleSource& source) {
  if (source.amax == nullptr) return source.scale->scale;
  const TensorScale scale = tensor_scale<F>(*source.amax);
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *source.scale = scale;
  return scale.scale;
}

}  // namespace mansard::kernels::fp8::device
