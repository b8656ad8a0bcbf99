// SPDX-License-Identifier: Apache-2.0
// The block scales of the fast kernels. Nothing here or in encode_nearest.cuh and
// encode_stochastic.cuh branches: a caller checks encodable() for every block and takes the plain
// arithmetic of arithmetic.cuh where one was not. Results are those of that arithmetic, bit for
// bit.
#pragma once

#include "kernels/nvfp4/device/arithmetic.cuh"

namespace mansard::kernels::nvfp4::device {

// Whether there is an instruction for it. Without, the plain arithmetic is all there is.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 890
inline constexpr bool kConvertsToE4m3 = false;
#else
inline constexpr bool kConvertsToE4m3 = true;
#endif

// block_scale().encode for each of the 128 codes of a scale, of one tensor. In shared memory: two
// divisions a block of elements would cost as much as the elements.
struct EncodeTable {
  float encode[128];
  float per_amax;  // a block's largest magnitude times this is its scale before E4M3

  // By the first 128 threads; the caller synchronizes.
  __device__ __forceinline__ void fill(float amax) {
    const float tensor_scale = tensor_encode_scale(amax);
    if (threadIdx.x == 0) per_amax = __fmul_rn(tensor_scale, kBlockDecode);
    if (threadIdx.x < 128) encode[threadIdx.x] = encode_of(threadIdx.x, tensor_scale);
  }
  // Scales so small that products could underflow are left to the plain arithmetic: the least of
  // them is that of the largest code.
  __device__ __forceinline__ bool usable() const { return encode[0x7e] >= 0x1p-10f; }
};

// The scales of two blocks, as they are stored (the second one in the higher byte) and as elements
// are multiplied by them. `clamps`: an element of them may reach 7 and is to be clamped, because a
// scale was rounded down among E4M3's least numbers or is 0, or there are infinities or NaN.
struct TwoScales {
  std::uint32_t stored;
  float encode[2];
  bool clamps;
};

// `per_amax`: of the table, which is to be read once.
__device__ __forceinline__ TwoScales fast_scales(const EncodeTable& table, float per_amax,
                                                 float amax0, float amax1) {
  constexpr float kSafe = 6.99f;
  const std::uint32_t codes = to_e4m3x2(__fmul_rn(amax0, per_amax), __fmul_rn(amax1, per_amax));
  const float scale0 = table.encode[codes & 0x7fu];
  const float scale1 = table.encode[codes >> 8 & 0x7fu];
  const bool safe = amax0 * scale0 < kSafe && amax1 * scale1 < kSafe;  // not so for NaN
  return {codes, {scale0, scale1}, !safe};
}

template <std::uint32_t kMask>
__device__ __forceinline__ std::uint32_t select(std::uint32_t where_set, std::uint32_t elsewhere) {
  return (where_set & kMask) | (elsewhere & ~kMask);
}

}  // namespace mansard::kernels::nvfp4::device
