// SPDX-License-Identifier: Apache-2.0
// Rounding to E2M1, nearest with ties to even, at memory speed on GPUs without an instruction for
// it.
//
// Rounding: let y be the scaled element and g the largest power of two <= max(|y|, 1). In the
// binade of 2^22 * g the ulp equals the step of E2M1's grid at y (1/2 up to 2, 1 up to 4, 2 up to
// 8), so that (1.5 * 2^22 * g + y) - 1.5 * 2^22 * g rounds y to the grid, ties to even, with two
// FMAs.
//
// Code: E2M1 times 2^-6 is E4M3 with two bits to spare. 1.0 becomes E4M3's smallest normal number,
// and 0.5 a subnormal number. With 2^-6 included in the scale, the hardware's conversion to E4M3
// returns the code in bits 2 to 4 of a byte and the sign in bit 7.
#pragma once

#include "kernels/nvfp4/device/encode.cuh"

namespace mansard::kernels::nvfp4::device {

inline constexpr float kToE4m3 = 0.015625f;  // 2^-6

// Packs eight codes from E4M3 bytes of even and of odd elements: element 0 in the lowest nibble.
__device__ __forceinline__ std::uint32_t nibbles(std::uint32_t even, std::uint32_t odd) {
  return select<0xf0f0f0f0u>(select<0x80808080u>(odd, odd << 2),
                             select<0x08080808u>(even >> 4, even >> 2));
}

// `encode`: includes the factor kToE4m3.
__device__ __forceinline__ float round_to_e2m1(float x, float encode) {
  constexpr float kMagic = 1.5f * 4194304.0f;
  const float y = __fmaf_rn(x, encode, 0.0f);  // not a product: -0 becomes 0
  const float g = __uint_as_float(__float_as_uint(fmaxf(fabsf(y), kToE4m3)) & 0x7f800000u);
  const float sum = __fmaf_rn(g, kMagic, y);
  const float rounded = __fmaf_rn(g, -kMagic, sum);
  return __fmaf_rn(y, 0x1p-30f, rounded);  // gives a zero the sign of y, changes nothing else
}

// Encodes eight elements (pairs of BF16), none of which needs clamping.
__device__ __forceinline__ std::uint32_t encode8(const std::uint32_t (&words)[4], float encode) {
  const float scale = __fmul_rn(encode, kToE4m3);
  float even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    even[i] = round_to_e2m1(low_bf16(words[i]), scale);
    odd[i] = round_to_e2m1(high_bf16(words[i]), scale);
  }
  return nibbles(to_e4m3x4(even[0], even[1], even[2], even[3]),
                 to_e4m3x4(odd[0], odd[1], odd[2], odd[3]));
}

// Encodes any eight elements with the plain arithmetic. Rare, so optimized for size.
__device__ __forceinline__ std::uint32_t encode8_clamping(const std::uint32_t (&words)[4],
                                                          float encode) {
  std::uint32_t w[4] = {words[0], words[1], words[2], words[3]};
  std::uint32_t codes = 0;
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    codes = codes >> 8 | to_e2m1(__fmul_rn(low_bf16(w[0]), encode)) << 24 |
            to_e2m1(__fmul_rn(high_bf16(w[0]), encode)) << 28;
    w[0] = w[1];
    w[1] = w[2];
    w[2] = w[3];
  }
  return codes;
}

}  // namespace mansard::kernels::nvfp4::device
