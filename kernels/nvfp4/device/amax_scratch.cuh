// SPDX-License-Identifier: Apache-2.0
// Maximum over all thread blocks of a grid without a preceding kernel that clears the result: the
// last block to arrive stores the result and resets the scratch to zero for the next launch.
#pragma once

#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"

namespace mansard::kernels::nvfp4::device {

// Maximum of `bits` over the thread block; valid in thread 0.
__device__ __forceinline__ std::uint32_t block_max_bits(std::uint32_t bits) {
  __shared__ std::uint32_t of_warp[32];
  bits = __reduce_max_sync(0xffffffffu, bits);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = bits;
  __syncthreads();
  std::uint32_t largest = 0;
  if (threadIdx.x < 32) {
    largest = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0u;
    largest = __reduce_max_sync(0xffffffffu, largest);
  }
  __syncthreads();  // so that a later call may reuse of_warp
  return largest;
}

// Larger of the two BF16 halves of each thread's word, maximum over the thread block, as the bits
// of the FP32 with the same value; valid in thread 0.
__device__ __forceinline__ std::uint32_t block_max(std::uint32_t pairs) {
  return block_max_bits(max(pairs << 16, pairs & 0xffff0000u));
}

// Called by thread 0 of every thread block, with the block's maxima as bits.
template <int kCount>
__device__ __forceinline__ void grid_max(const std::uint32_t (&largest)[kCount],
                                         AmaxScratch* scratch, float* const (&out)[kCount]) {
  for (int i = 0; i < kCount; ++i) atomicMax(&scratch->largest[i], largest[i]);
  __threadfence();
  const unsigned blocks = gridDim.x * gridDim.y;
  if (atomicInc(&scratch->arrived, blocks - 1) != blocks - 1) return;  // wraps to 0
  __threadfence();
  for (int i = 0; i < kCount; ++i) *out[i] = __uint_as_float(atomicExch(&scratch->largest[i], 0u));
}

}  // namespace mansard::kernels::nvfp4::device
