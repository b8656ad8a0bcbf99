// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding to E2M1 at memory speed on GPUs without an instruction for it.
//
// E2M1 has steps of 1/2 up to 2, of 1 up to 4, and one step of 2. Let y be the magnitude of the
// scaled element, z = y + 6 for y <= 4 and z = y / 2 + 8 above. Codes 0 to 7 are then z = 6, 6.5,
// 7, 7.5, 8, 9, 10, 11, and the FP32 bits of z count 2^20 per code. Random bits are added below
// that position, and the carry gives the code.
//
// Rounding to nearest cannot use this scheme (by converting z to E4M3, which has these numbers in
// succession): z has fewer bits than y, so a value next to a midpoint can become a tie. Ties of
// BF16 numbers are common if 21 divides the product of the significands of amax and a block scale,
// and the last bit of the scale then decides them. For one in ten such scales no replacement
// decides all ties correctly.
#pragma once

#include "kernels/nvfp4/device/encode.cuh"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4::device {

// -0 becomes 0, whose code has no sign.
__device__ __forceinline__ std::uint32_t without_negative_zero(std::uint32_t pair) {
  const __nv_bfloat162 sum =
      __hadd2_rn(reinterpret_cast<const __nv_bfloat162&>(pair), __floats2bfloat162_rn(0.0f, 0.0f));
  return reinterpret_cast<const std::uint32_t&>(sum);
}

// z of a magnitude. y / 2 - 2, saturated to [0, 1], is the difference between y + 6 and z.
__device__ __forceinline__ float place_of_code(float magnitude, float encode, float half) {
  const float excess = __saturatef(__fmaf_rn(magnitude, half, -2.0f));
  return __fsub_rn(__fmaf_rn(magnitude, encode, 6.0f), excess);
}

// Packs eight codes, element 0 in the lowest nibble. The inputs are the codes of even and odd
// elements in bits 0x07 and 0x70 of bytes, with the highest of the three bits flipped, and the
// words that hold the signs.
__device__ __forceinline__ std::uint32_t with_signs(std::uint32_t even, std::uint32_t odd,
                                                    const std::uint32_t (&words)[4]) {
  const std::uint32_t low = __byte_perm(words[0], words[1], 0x7531);
  const std::uint32_t high = __byte_perm(words[2], words[3], 0x7531);
  const std::uint32_t signs =
      select<0x0f0f0f0fu>(__byte_perm(low, high, 0x6420) >> 4, __byte_perm(low, high, 0x7531));
  return select<0x77777777u>(select<0x0f0f0f0fu>(even, odd), signs) ^ 0x44444444u;
}

// The stochastically rounded code of an element, in bits 20 to 22 (bit 22 flipped). Its 16 random
// bits are byte `kByte` of `random` above its neighbor's byte, added with one dot product of bytes.
template <int kByte>
__device__ __forceinline__ std::uint32_t carried(float magnitude, float encode, float half,
                                                 std::uint32_t random) {
  constexpr std::uint32_t kOwnAboveNext = kByte % 2 == 0 ? 0x00101000u : 0x10000010u;
  const std::uint32_t z = __float_as_uint(place_of_code(magnitude, encode, half));
  return kByte < 2 ? __dp2a_lo(kOwnAboveNext, random, z) : __dp2a_hi(kOwnAboveNext, random, z);
}

// Bits 16 to 23 of four numbers. The largest code, 7, covers 11 to 12.
__device__ __forceinline__ std::uint32_t codes_of(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                  std::uint32_t d) {
  constexpr std::uint32_t kBelowTwelve = 0x413f413fu;
  return __byte_perm(__vminu2(__byte_perm(a, b, 0x7632), kBelowTwelve),
                     __vminu2(__byte_perm(c, d, 0x7632), kBelowTwelve), 0x6420);
}

// Encodes eight elements (pairs of BF16). Byte i of low, then high, belongs to element i. Values
// that are too large are clamped without a branch.
__device__ __forceinline__ std::uint32_t encode8(const std::uint32_t (&pairs)[4], float scale,
                                                 std::uint32_t low, std::uint32_t high) {
  std::uint32_t words[4];
  const float half = __fmul_rn(scale, 0.5f);
  std::uint32_t even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = without_negative_zero(pairs[i]);
    const std::uint32_t magnitudes = words[i] & 0x7fff7fffu;
    const std::uint32_t random = i < 2 ? low : high;
    const float first = low_bf16(magnitudes);
    const float second = high_bf16(magnitudes);
    even[i] = i % 2 == 0 ? carried<0>(first, scale, half, random)
                         : carried<2>(first, scale, half, random);
    odd[i] = i % 2 == 0 ? carried<1>(second, scale, half, random)
                        : carried<3>(second, scale, half, random);
  }
  return with_signs(codes_of(even[0], even[1], even[2], even[3]) >> 4,
                    codes_of(odd[0], odd[1], odd[2], odd[3]), words);
}

}  // namespace mansard::kernels::nvfp4::device
