// SPDX-License-Identifier: Apache-2.0
// Block scales of the fast kernels. This file, encode_nearest.cuh and encode_stochastic.cuh have no
// branches: the caller checks encodable() for every block and falls back to the plain arithmetic of
// arithmetic.cuh, whose results these functions match bit for bit.
#pragma once

#include "kernels/nvfp4/device/arithmetic.cuh"

namespace mansard::kernels::nvfp4::device {

// Whether the hardware has a conversion instruction. If not, only the plain arithmetic is
// available.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 890
inline constexpr bool kConvertsToE4m3 = false;
#else
inline constexpr bool kConvertsToE4m3 = true;
#endif

// block_scale().encode of one tensor for each of the 128 codes of a scale, in shared memory: two
// divisions per block would cost as much as its elements.
struct EncodeTable {
  float encode[128];
  float per_amax;  // block amax * per_amax = block scale before rounding to E4M3

  // Called by the first 128 threads; the caller synchronizes.
  __device__ __forceinline__ void fill(float amax) {
    const float tensor_scale = tensor_encode_scale(amax);
    if (threadIdx.x == 0) per_amax = __fmul_rn(tensor_scale, kBlockDecode);
    if (threadIdx.x < 128) encode[threadIdx.x] = encode_of(threadIdx.x, tensor_scale);
  }
  // Scales so small that products could underflow are left to the plain arithmetic. The smallest
  // factor is that of the largest code.
  __device__ __forceinline__ bool usable() const { return encode[0x7e] >= 0x1p-10f; }
};

// The scales of two blocks: as stored (the second in the higher byte), and as factors of their
// elements. `clamps`: an element may reach 7 and must be clamped, because a scale was rounded down
// near E4M3's smallest numbers or is 0, or because the block contains infinities or NaN.
struct TwoScales {
  std::uint32_t stored;
  float encode[2];
  bool clamps;
};

// `per_amax`: the table's member, passed separately so that it is read once.
__device__ __forceinline__ TwoScales fast_scales(const EncodeTable& table, float per_amax,
                                                 float amax0, float amax1) {
  constexpr float kSafe = 6.99f;
  const std::uint32_t codes = to_e4m3x2(__fmul_rn(amax0, per_amax), __fmul_rn(amax1, per_amax));
  const float scale0 = table.encode[codes & 0x7fu];
  const float scale1 = table.encode[codes >> 8 & 0x7fu];
  const bool safe = amax0 * scale0 < kSafe && amax1 * scale1 < kSafe;  // false for NaN
  return {codes, {scale0, scale1}, !safe};
}

template <std::uint32_t kMask>
__device__ __forceinline__ std::uint32_t select(std::uint32_t where_set, std::uint32_t elsewhere) {
  return (where_set & kMask) | (elsewhere & ~kMask);
}

}  // namespace mansard::kernels::nvfp4::device
