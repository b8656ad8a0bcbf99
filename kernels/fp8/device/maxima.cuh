// SPDX-License-Identifier: Apache-2.0
// Largest magnitudes, two BF16 at a time as 16-bit integers. This takes a third of the instructions
// of FP32 comparisons and cannot lose a NaN, which orders above infinity.
#pragma once

#include <cstdint>

namespace mansard::kernels::fp8::device {

inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

__device__ __forceinline__ std::uint32_t magnitudes(std::uint32_t pair) {
  return pair & 0x7fff7fffu;
}

// A single instruction on compute capability 9.0 and later.
__device__ __forceinline__ std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return __vimax3_u16x2(a, b, c);
}

// Those of eight elements.
__device__ __forceinline__ std::uint32_t magnitudes(uint4 pairs) {
  return max3(max3(0, magnitudes(pairs.x), magnitudes(pairs.y)), magnitudes(pairs.z),
              magnitudes(pairs.w));
}

// The larger half, as the bits of the FP32 with the same value.
__device__ __forceinline__ std::uint32_t larger_half(std::uint32_t pair) {
  return max(pair << 16, pair & 0xffff0000u);
}

// {larger half of a, larger half of b}.
__device__ __forceinline__ std::uint32_t pack_larger_halves(std::uint32_t a, std::uint32_t b) {
  return __vmaxu2(__byte_perm(a, b, 0x5410), __byte_perm(a, b, 0x7632));
}

// Maxima over adjacent lanes of kCount words, where each lane needs only its share of the results:
// at each step a lane passes on the half that its partner keeps, so that 8 words over 16 lanes take
// 8 shuffles instead of 32. At the end, word 0 of lane l (of 2 * kDistance) holds the maximum of
// word l * kCount / (2 * kDistance) (rounded down); words 1, ... hold the following ones.
template <int kCount, int kDistance, int kWords>
__device__ __forceinline__ void distribute_maxima(std::uint32_t (&words)[kWords]) {
  if constexpr (kDistance > 0) {
    if constexpr (kCount > 1) {
      const bool upper = (threadIdx.x & kDistance) != 0;
#pragma unroll
      for (int i = 0; i < kCount / 2; ++i) {
        const std::uint32_t give = upper ? words[i] : words[i + kCount / 2];
        const std::uint32_t keep = upper ? words[i + kCount / 2] : words[i];
        words[i] = __vmaxu2(keep, __shfl_xor_sync(kAllLanes, give, kDistance));
      }
      distribute_maxima<kCount / 2, kDistance / 2>(words);
    } else {
      words[0] = __vmaxu2(words[0], __shfl_xor_sync(kAllLanes, words[0], kDistance));
      distribute_maxima<1, kDistance / 2>(words);
    }
  }
}

// Raises *out (a non-negative float as bits) to the maximum of `bits` over the thread block.
// `thread` of `threads`: the place in the block, in the order of warps.
__device__ __forceinline__ void raise_to_block_max(std::uint32_t bits, float* out, unsigned thread,
                                                   unsigned threads) {
  __shared__ std::uint32_t warp_max[32];
  bits = __reduce_max_sync(kAllLanes, bits);
  if (thread % 32 == 0) warp_max[thread / 32] = bits;
  __syncthreads();
  if (thread < 32) {
    bits = thread < threads / 32 ? warp_max[thread] : 0u;
    bits = __reduce_max_sync(kAllLanes, bits);
    if (thread == 0) atomicMax(reinterpret_cast<unsigned*>(out), bits);
  }
}
__device__ __forceinline__ void raise_to_block_max(std::uint32_t bits, float* out) {
  raise_to_block_max(bits, out, threadIdx.x, blockDim.x);
}

}  // namespace mansard::kernels::fp8::device
