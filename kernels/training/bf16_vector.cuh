// SPDX-License-Identifier: Apache-2.0
// Eight BF16 elements, moved with one access of 16 bytes and computed with in FP32.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>

#include "kernels/formats/bf16.h"

namespace mansard::kernels {

struct Bf16Vector {
  static constexpr int kSize = 8;
  float x[kSize];

  // The vector at index `i` of an array.
  static __device__ Bf16Vector load(const Bf16* array, std::int64_t i) {
    const uint4 bits = reinterpret_cast<const uint4*>(array)[i];
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    Bf16Vector v;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      v.x[2 * w] = __uint_as_float(words[w] << 16);
      v.x[2 * w + 1] = __uint_as_float(words[w] & 0xffff0000u);
    }
    return v;
  }

  __device__ void store(Bf16* array, std::int64_t i) const {
    std::uint32_t words[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x[2 * w], x[2 * w + 1]);
      words[w] = *reinterpret_cast<const std::uint32_t*>(&pair);
    }
    reinterpret_cast<uint4*>(array)[i] = {words[0], words[1], words[2], words[3]};
  }

  // The values after rounding to BF16.
  __device__ Bf16Vector rounded() const {
    Bf16Vector v;
#pragma unroll
    for (int e = 0; e < kSize; ++e) v.x[e] = __bfloat162float(__float2bfloat16_rn(x[e]));
    return v;
  }
};

}  // namespace mansard::kernels
