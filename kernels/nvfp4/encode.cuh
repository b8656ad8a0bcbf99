// SPDX-License-Identifier: Apache-2.0
// E2M1 at memory speed on GPUs without an instruction for it. Nothing here branches: a caller
// checks encodable() for every block and repeats a tile by the plain arithmetic of arithmetic.cuh
// where one was not (see block_quantize.cuh). Results are those of that arithmetic, bit for bit.
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

#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::nvfp4::device {

inline constexpr float kToE4m3 = 0.015625f;  // 2^-6, part of every scale below

// block_scale().encode for each of the 128 codes of a scale, of one tensor. In shared memory: two
// divisions a block of elements would cost as much as the elements.
struct EncodeTable {
  float encode[128];
  float per_amax;  // a block's largest magnitude times this is its scale before E4M3

  // By the first 128 threads; the caller synchronises.
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
// are multiplied by them, times 2^-6.
struct TwoScales {
  std::uint32_t stored;
  float encode[2];
};

// `per_amax`: of the table, which is to be read once.
__device__ __forceinline__ TwoScales fast_scales(const EncodeTable& table, float per_amax,
                                                 float amax0, float amax1) {
  const std::uint32_t codes = to_e4m3x2(__fmul_rn(amax0, per_amax), __fmul_rn(amax1, per_amax));
  return {codes,
          {__fmul_rn(table.encode[codes & 0x7fu], kToE4m3),
           __fmul_rn(table.encode[codes >> 8 & 0x7fu], kToE4m3)}};
}

// Whether the largest element stays below 7, from where on clamping would matter. False for NaN.
__device__ __forceinline__ bool encodable(float amax, float encode) {
  return amax * encode < 6.99f * kToE4m3;
}

// Eight codes of E4M3 bytes as above, even and odd elements apart: element 0 in the lowest nibble.
__device__ __forceinline__ std::uint32_t nibbles(std::uint32_t even, std::uint32_t odd) {
  const std::uint32_t high = (odd & 0x80808080u) | (odd << 2 & ~0x80808080u);
  const std::uint32_t low = (even >> 4 & 0x08080808u) | (even >> 2 & ~0x08080808u);
  return (high & 0xf0f0f0f0u) | (low & ~0xf0f0f0f0u);
}

__device__ __forceinline__ float binade(float y) {
  return __uint_as_float(__float_as_uint(fmaxf(fabsf(y), kToE4m3)) & 0x7f800000u);
}

__device__ __forceinline__ float round_to_e2m1(float x, float encode) {
  constexpr float kMagic = 1.5f * 4194304.0f;
  const float y = __fmaf_rn(x, encode, 0.0f);  // not a product: -0 becomes 0
  const float g = binade(y);
  const float sum = __fmaf_rn(g, kMagic, y);
  const float rounded = __fmaf_rn(g, -kMagic, sum);
  return __fmaf_rn(y, 0x1p-30f, rounded);  // gives a zero the sign of y and changes nothing else
}

__device__ __forceinline__ std::uint32_t encode8(const float (&x)[8], float encode) {
  float r[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) r[i] = round_to_e2m1(x[i], encode);
  return nibbles(to_e4m3x4(r[0], r[2], r[4], r[6]), to_e4m3x4(r[1], r[3], r[5], r[7]));
}

// The stochastic rounding of reference.h. A magic number of 1.5 * 2^6 times the binade of y makes
// the sum count 65536ths of E2M1's step; sixteen random bits are added to them and they are cut
// off. The bits of element i are byte i of `random` above its neighbour's, by one dot product of
// bytes.
template <int kByte>
__device__ __forceinline__ float round_to_e2m1(float x, float encode, std::uint32_t random) {
  constexpr std::uint32_t kOwnAboveNext = kByte % 2 == 0 ? 0x00010100u : 0x01000001u;
  const float y = __fmaf_rn(x, encode, 0.0f);
  const float g = binade(y);
  const std::uint32_t sum = __float_as_uint(__fmaf_rn(g, 96.0f, y));
  const std::uint32_t carried =
      kByte < 2 ? __dp2a_lo(kOwnAboveNext, random, sum) : __dp2a_hi(kOwnAboveNext, random, sum);
  return __fmaf_rn(g, -96.0f, __uint_as_float(carried & ~0xffffu));
}

// 8 becomes 6: what carries beyond the largest code sets bit 5 of its byte.
__device__ __forceinline__ std::uint32_t saturate(std::uint32_t bytes) {
  const std::uint32_t over = bytes & 0x20202020u;
  return bytes | (over - (over >> 3));
}

// Byte i of low, then high, belongs to element i.
__device__ __forceinline__ std::uint32_t encode8(const float (&x)[8], float encode,
                                                 std::uint32_t low, std::uint32_t high) {
  const std::uint32_t even =
      to_e4m3x4(round_to_e2m1<0>(x[0], encode, low), round_to_e2m1<2>(x[2], encode, low),
                round_to_e2m1<0>(x[4], encode, high), round_to_e2m1<2>(x[6], encode, high));
  const std::uint32_t odd =
      to_e4m3x4(round_to_e2m1<1>(x[1], encode, low), round_to_e2m1<3>(x[3], encode, low),
                round_to_e2m1<1>(x[5], encode, high), round_to_e2m1<3>(x[7], encode, high));
  return nibbles(saturate(even), saturate(odd));
}

}  // namespace mansard::nvfp4::device
