// SPDX-License-Identifier: Apache-2.0
// Eight BF16 elements, moved with one access of 16 bytes and computed with in FP32.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/device/maxima.cuh"

namespace mansard::kernels {

struct Bf16Vector {
  static constexpr int kSize = 8;
  float x[kSize];

  // The vector at index `i` of an array.
  static __device__ Bf16Vector load(const Bf16* array, std::int64_t i) {
    return widened(reinterpret_cast<const uint4*>(array)[i]);
  }

  static __device__ Bf16Vector widened(uint4 bits) {
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    Bf16Vector v;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      v.x[2 * w] = __uint_as_float(words[w] << 16);
      v.x[2 * w + 1] = __uint_as_float(words[w] & 0xffff0000u);
    }
    return v;
  }

  // Returns the largest magnitudes of the stored elements with even and with odd indices, as a pair
  // (kernels/fp8/device/maxima.cuh).
  __device__ std::uint32_t store(Bf16* array, std::int64_t i) const {
    std::uint32_t words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x[2 * w], x[2 * w + 1]);
      words[w] = *reinterpret_cast<const std::uint32_t*>(&pair);
    }
    const uint4 bits = {words[0], words[1], words[2], words[3]};
    reinterpret_cast<uint4*>(array)[i] = bits;
    return fp8::device::magnitudes(bits);
  }

  // The values after rounding to BF16.
  __device__ Bf16Vector rounded() const {
    Bf16Vector v;
#pragma unroll
    for (int e = 0; e < kSize; ++e) v.x[e] = __bfloat162float(__float2bfloat16_rn(x[e]));
    return v;
  }
};

// Raises *amax to the largest of the magnitudes that the threads of the block have, which must all
// call it. Null: does nothing. The bits of magnitudes are ordered like their values.
__device__ __forceinline__ void raise_amax(float* amax, std::uint32_t pair) {
  if (amax == nullptr) return;
  fp8::device::raise_to_block_max(fp8::device::larger_half(pair), amax,
                                  threadIdx.y * blockDim.x + threadIdx.x, blockDim.x * blockDim.y);
}

}  // namespace mansard::kernels
