// SPDX-License-Identifier: Apache-2.0
// E2M1 at memory speed on GPUs without an instruction for it. Nothing here branches: a caller
// checks encodable() for every block and repeats a tile by the plain arithmetic of arithmetic.cuh
// where one was not (see strip_quantize.cuh). Results are those of that arithmetic, bit for bit.
//
// E2M1 counts steps of 1/2 up to 2, of 1 up to 4, and one of 2. Let y be the magnitude of the
// scaled element, and z = y + 6 up to y = 4 and y / 2 + 8 beyond: then codes 0 to 7 are z = 6, 6.5,
// 7, 7.5, 8, 9, 10, 11, which are successive numbers of E4M3. So the hardware's conversion to E4M3
// rounds z to the code, ties to even, and its lowest three bits are the code with bit 2 flipped. As
// FP32, the bits of z count 2^20 for each code, whose fraction stochastic rounding adds random bits
// to.
#pragma once

#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::nvfp4::device {

// z has fewer bits than y: its rounding takes a product within 2^-20 of a tie (y of 0.25, 0.75,
// 1.25, ...) for the tie itself. No block scale but a few in a thousand has a BF16 number that
// comes so close without being one. It is moved by 2^-16, further away from the tie: no product
// crosses any, as the next BF16 numbers are 2^-9 apart. Where that would lose or cross another one,
// NaN: not encodable.
__device__ __forceinline__ float clear_of_ties(float encode) {
  constexpr float kClose = 0x1p-18f;
  constexpr float kMove = 0x1p-16f;
  const auto significand = [](float x) {
    return __uint_as_float((__float_as_uint(x) & 0x7fffffu) | 0x3f800000u);
  };
  const float scale = significand(encode);
  float distance[4];  // from the ties of significand 1, 1.25, 1.5 and 1.75
  float move = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float tie = 1.0f + 0.25f * static_cast<float>(i);
    const float x = significand(__fdividef(tie, scale));
    const float nearest = __uint_as_float((__float_as_uint(x) + 0x8000u) & 0xffff0000u);
    const float y = __fmul_rn(nearest, scale);
    distance[i] = (y > 1.5f * tie ? 0.5f * y : y) - tie;
    if (distance[i] != 0 && fabsf(distance[i]) < kClose) move = copysignf(kMove, distance[i]);
  }
  if (move == 0) return encode;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool away = distance[i] * move > 0;
    if (!away && fabsf(distance[i]) < 3 * kMove) return __uint_as_float(0x7fffffffu);
  }
  return __fmaf_rn(encode, move, encode);
}

// block_scale().encode for each of the 128 codes of a scale, of one tensor. In shared memory: two
// divisions a block of elements would cost as much as the elements.
struct EncodeTable {
  float encode[128];
  float per_amax;  // a block's largest magnitude times this is its scale before E4M3
  float least;     // of the factors

  // By the first 128 threads; the caller synchronises.
  __device__ __forceinline__ void fill(float amax, bool stochastic) {
    const float tensor_scale = tensor_encode_scale(amax);
    if (threadIdx.x == 0) {
      per_amax = __fmul_rn(tensor_scale, kBlockDecode);
      least = encode_of(0x7e, tensor_scale);
    }
    if (threadIdx.x >= 128) return;
    const float exact = encode_of(static_cast<std::uint8_t>(threadIdx.x), tensor_scale);
    encode[threadIdx.x] = stochastic ? exact : clear_of_ties(exact);
  }
  // Scales so small that products could underflow are left to the plain arithmetic.
  __device__ __forceinline__ bool usable() const { return least >= 0x1p-10f; }
};

// The scales of two blocks, as they are stored (the second one in the higher byte) and as elements
// are multiplied by them.
struct TwoScales {
  std::uint32_t stored;
  float encode[2];
};

// `per_amax`: of the table, which is to be read once.
__device__ __forceinline__ TwoScales fast_scales(const EncodeTable& table, float per_amax,
                                                 float amax0, float amax1) {
  const std::uint32_t codes = to_e4m3x2(__fmul_rn(amax0, per_amax), __fmul_rn(amax1, per_amax));
  return {codes, {table.encode[codes & 0x7fu], table.encode[codes >> 8 & 0x7fu]}};
}

// Whether the largest element stays below 7, from where on clamping would matter. False for NaN.
__device__ __forceinline__ bool encodable(float amax, float encode) {
  return amax * encode < 6.99f;
}

// -0 becomes 0, whose code has no sign.
__device__ __forceinline__ std::uint32_t without_negative_zero(std::uint32_t pair) {
  const __nv_bfloat162 sum =
      __hadd2_rn(reinterpret_cast<const __nv_bfloat162&>(pair), __floats2bfloat162_rn(0.0f, 0.0f));
  return reinterpret_cast<const std::uint32_t&>(sum);
}

// z of a magnitude. y / 2 - 2 saturates to [0, 1]: it is what z stays behind y + 6.
__device__ __forceinline__ float place_of_code(float magnitude, float encode, float half) {
  const float excess = __saturatef(__fmaf_rn(magnitude, half, -2.0f));
  return __fsub_rn(__fmaf_rn(magnitude, encode, 6.0f), excess);
}

template <std::uint32_t kMask>
__device__ __forceinline__ std::uint32_t select(std::uint32_t where_set, std::uint32_t elsewhere) {
  return (where_set & kMask) | (elsewhere & ~kMask);
}

// Eight codes, element 0 in the lowest nibble, of even and odd elements' in the bits of 0x07 and
// 0x70 of each byte, bit 2 of each flipped, and of the words that hold their signs.
__device__ __forceinline__ std::uint32_t with_signs(std::uint32_t even, std::uint32_t odd,
                                                    const std::uint32_t (&words)[4]) {
  const std::uint32_t low = __byte_perm(words[0], words[1], 0x7531);
  const std::uint32_t high = __byte_perm(words[2], words[3], 0x7531);
  const std::uint32_t signs =
      select<0x0f0f0f0fu>(__byte_perm(low, high, 0x6420) >> 4, __byte_perm(low, high, 0x7531));
  return select<0x77777777u>(select<0x0f0f0f0fu>(even, odd), signs) ^ 0x44444444u;
}

// Eight elements, pairs of BF16 that hold no -0.
__device__ __forceinline__ std::uint32_t encode8(const std::uint32_t (&words)[4], float encode) {
  const float half = __fmul_rn(encode, 0.5f);
  float even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t magnitudes = words[i] & 0x7fff7fffu;
    even[i] = place_of_code(low_bf16(magnitudes), encode, half);
    odd[i] = place_of_code(high_bf16(magnitudes), encode, half);
  }
  return with_signs(to_e4m3x4(even[0], even[1], even[2], even[3]),
                    to_e4m3x4(odd[0], odd[1], odd[2], odd[3]) << 4, words);
}

// The code of an element, stochastically, in bits 20 to 22 (bit 22 flipped). Its 16 random bits are
// byte `kByte` of `random` above its neighbour's, added by one dot product of bytes.
template <int kByte>
__device__ __forceinline__ std::uint32_t carried(float magnitude, float encode, float half,
                                                 std::uint32_t random) {
  constexpr std::uint32_t kOwnAboveNext = kByte % 2 == 0 ? 0x00101000u : 0x10000010u;
  const std::uint32_t z = __float_as_uint(place_of_code(magnitude, encode, half));
  return kByte < 2 ? __dp2a_lo(kOwnAboveNext, random, z) : __dp2a_hi(kOwnAboveNext, random, z);
}

// Bits 16 to 23 of four numbers; codes end at 7, which is 11 to 12.
__device__ __forceinline__ std::uint32_t codes_of(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                  std::uint32_t d) {
  constexpr std::uint32_t kBelowTwelve = 0x413f413fu;
  return __byte_perm(__vminu2(__byte_perm(a, b, 0x7632), kBelowTwelve),
                     __vminu2(__byte_perm(c, d, 0x7632), kBelowTwelve), 0x6420);
}

// Byte i of low, then high, belongs to element i.
__device__ __forceinline__ std::uint32_t encode8(const std::uint32_t (&words)[4], float encode,
                                                 std::uint32_t low, std::uint32_t high) {
  const float half = __fmul_rn(encode, 0.5f);
  std::uint32_t even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t magnitudes = words[i] & 0x7fff7fffu;
    const std::uint32_t random = i < 2 ? low : high;
    const float first = low_bf16(magnitudes);
    const float second = high_bf16(magnitudes);
    even[i] = i % 2 == 0 ? carried<0>(first, encode, half, random)
                         : carried<2>(first, encode, half, random);
    odd[i] = i % 2 == 0 ? carried<1>(second, encode, half, random)
                        : carried<3>(second, encode, half, random);
  }
  return with_signs(codes_of(even[0], even[1], even[2], even[3]) >> 4,
                    codes_of(odd[0], odd[1], odd[2], odd[3]), words);
}

}  // namespace mansard::nvfp4::device
