// SPDX-License-Identifier: Apache-2.0
// E2M1 to nearest, ties to even, at memory speed on GPUs without an instruction for it.
//
// Rounding. Let y be the scaled element and g the power of two below max(|y|, 1). In the binade of
// 2^22 * g the unit in the last place is the step of E2M1's grid at y (1/2 up to 2, 1 up to 4, 2 up
// to 8), so that (1.5 * 2^22 * g + y) - 1.5 * 2^22 * g rounds y to the grid, ties to even: two
// FMAs.
//
// Code. E2M1 times 2^-6 is E4M3 with two bits to spare: 1.0 becomes E4M3's smallest normal number,
// and 0.5 a subnormal one. So with 2^-6 in the scale the hardware's conversion to E4M3 leaves the
// code in bits 2 to 4 of a byte and the sign in bit 7.
#pragma once

#include "kernels/nvfp4/device/encode.cuh"

namespace mansard::kernels::nvfp4::device {

inline constexpr float kToE4m3 = 0.015625f;  // 2^-6

// Eight codes of E4M3 bytes as above, even and odd elements apart: element 0 in the lowest nibble.
__device__ __forceinline__ std::uint32_t nibbles(std::uint32_t even, std::uint32_t odd) {
  return select<0xf0f0f0f0u>(select<0x80808080u>(odd, odd << 2),
                             select<0x08080808u>(even >> 4, even >> 2));
}

// `encode`: times kToE4m3.
__device__ __forceinline__ float round_to_e2m1(float x, float encode) {
  constexpr float kMagic = 1.5f * 4194304.0f;
  const float y = __fmaf_rn(x, encode, 0.0f);  // not a product: -0 becomes 0
  const float g = __uint_as_float(__float_as_uint(fmaxf(fabsf(y), kToE4m3)) & 0x7f800000u);
  const float sum = __fmaf_rn(g, kMagic, y);
  const float rounded = __fmaf_rn(g, -kMagic, sum);
  return __fmaf_rn(y, 0x1p-30f, rounded);  // gives a zero the sign of y and changes nothing else
}

// Eight elements, pairs of BF16, none of which is to be clamped.
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

// The same for any elements, in the plain arithmetic. Rare: small rather than fast.
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
