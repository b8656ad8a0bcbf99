// SPDX-License-Identifier: Apache-2.0
// Scalar NVFP4 arithmetic on the device, in rounding intrinsics so that no compiler option can fuse
// or approximate it. Written independently of the host reference: the tests compare the two.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "kernels/nvfp4/rht.h"

namespace mansard::kernels::nvfp4::device {

inline constexpr float kFloatMax = 3.402823466e38f;
inline constexpr float kBlockDecode = 1.0f / 6.0f;

// NaN stays NaN, unlike with fminf.
__device__ __forceinline__ float clamp_above(float x, float limit) { return x > limit ? limit : x; }

__device__ __forceinline__ float tensor_encode_scale(float amax) {
  if (amax == 0.0f) return 1.0f;
  const float scale = clamp_above(__fdiv_rn(2688.0f, amax), kFloatMax);
  return scale == 0.0f ? 1.0f : scale;
}

struct BlockScale {
  std::uint8_t stored;  // E4M3
  float encode;
};

__device__ __forceinline__ float from_e4m3(std::uint8_t code) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}

// The factor of the elements of a block whose stored scale is `stored`.
__device__ __forceinline__ float encode_of(std::uint8_t stored, float tensor_scale) {
  const float encode = __frcp_rn(__fmul_rn(from_e4m3(stored), __frcp_rn(tensor_scale)));
  return clamp_above(encode, kFloatMax);
}

__device__ __forceinline__ BlockScale block_scale(float block_amax, float tensor_scale) {
  const float decode =
      clamp_above(__fmul_rn(block_amax, __fmul_rn(tensor_scale, kBlockDecode)), kFloatMax);
  const std::uint8_t stored =
      __nv_cvt_float_to_fp8(clamp_above(decode, 448.0f), __NV_SATFINITE, __NV_E4M3);
  return {stored, encode_of(stored, tensor_scale)};
}

// Two or four numbers as E4M3, saturating, the first in the lowest byte.
__device__ __forceinline__ std::uint32_t to_e4m3x2(float first, float second) {
  return __nv_cvt_float2_to_fp8x2(make_float2(first, second), __NV_SATFINITE, __NV_E4M3);
}
__device__ __forceinline__ std::uint32_t to_e4m3x4(float a, float b, float c, float d) {
#if __CUDA_ARCH__ >= 890
  std::uint32_t bytes;
  asm("{\n\t"
      ".reg .b16 low, high;\n\t"
      "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n\t"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n\t"
      "mov.b32 %0, {low, high};\n\t"
      "}"
      : "=r"(bytes)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return bytes;
#else
  return to_e4m3x2(a, b) | to_e4m3x2(c, d) << 16;
#endif
}

// Four bits, nearest-even, saturating; NaN becomes 6 (fminf drops it).
__device__ __forceinline__ std::uint32_t to_e2m1(float x) {
  const float a = fminf(fabsf(x), 6.0f);
  // Below 1 the codes are steps of 1/2: adding 2^22, whose ulp is 1/2, rounds to them.
  const std::uint32_t small = __float_as_uint(__fadd_rn(a, 4194304.0f)) & 7u;
  // From 1 on a code is FP32's exponent and first mantissa bit, re-biased: 1.0 is code 2.
  const std::uint32_t bits = __float_as_uint(a);
  const std::uint32_t large = ((bits + 0x1fffffu + ((bits >> 22) & 1u)) >> 22) - 252u;
  return (a < 1.0f ? small : large) | (x < 0.0f ? 8u : 0u);
}

// Rounds x * encode stochastically, with the steps of reference.h.
__device__ __forceinline__ std::uint32_t to_e2m1(float x, float encode, std::uint32_t random) {
  const float magnitude = fabsf(x);
  const float excess = __saturatef(__fmaf_rn(magnitude, __fmul_rn(encode, 0.5f), -2.0f));
  const float z = __fsub_rn(__fmaf_rn(magnitude, encode, 6.0f), excess);
  const std::uint32_t carried =
      min(__float_as_uint(z) + (random << 4), __float_as_uint(12.0f) - 1u);
  return (carried - __float_as_uint(6.0f)) >> 20 | (x < 0.0f ? 8u : 0u);
}

// 16 codes, with element 0 in the lowest nibble of .x.
__device__ __forceinline__ uint2 encode_block(const float (&values)[16], float encode) {
  uint2 codes = {0u, 0u};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    codes.x |= to_e2m1(__fmul_rn(values[i], encode)) << (4 * i);
    codes.y |= to_e2m1(__fmul_rn(values[i + 8], encode)) << (4 * i);
  }
  return codes;
}

// As unsigned integers, magnitudes have the same order as their values, with NaN above infinity.
__device__ __forceinline__ std::uint32_t magnitude_bits(float x) {
  return __float_as_uint(x) & 0x7fffffffu;
}

__device__ __forceinline__ float max_magnitude(const float (&values)[16]) {
  std::uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) largest = max(largest, magnitude_bits(values[i]));
  return __uint_as_float(largest);
}

// The two BF16 halves of a word as FP32.
__device__ __forceinline__ float low_bf16(std::uint32_t pair) {
  return __uint_as_float(pair << 16);
}
__device__ __forceinline__ float high_bf16(std::uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000u);
}

__device__ __forceinline__ void unpack_block(uint4 low, uint4 high, float (&values)[16]) {
  const std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    values[2 * i] = low_bf16(words[i]);
    values[2 * i + 1] = high_bf16(words[i]);
  }
}

// x * diag(signs) * H16 / 4, each result rounded to BF16. Same stages and order as the reference.
__device__ __forceinline__ void rht16(float (&values)[16]) {
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    values[i] = __fmul_rn(values[i], (kRhtNegative >> i & 1u) != 0 ? -kRhtBefore : kRhtBefore);
  }
#pragma unroll
  for (int half = 1; half < 16; half *= 2) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if ((i & half) != 0) continue;
      const float a = values[i];
      const float b = values[i + half];
      values[i] = __fadd_rn(a, b);
      values[i + half] = __fsub_rn(a, b);
    }
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    values[i] = __bfloat162float(__float2bfloat16_rn(__fmul_rn(values[i], kRhtAfter)));
  }
}

// Raises *out (a non-negative float as bits) to the maximum of `bits` over the thread block.
__device__ __forceinline__ void block_max_to(std::uint32_t bits, float* out) {
  __shared__ std::uint32_t warp_max[32];
  bits = __reduce_max_sync(0xffffffffu, bits);
  if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = bits;
  __syncthreads();
  if (threadIdx.x < 32) {
    bits = threadIdx.x < blockDim.x / 32 ? warp_max[threadIdx.x] : 0u;
    bits = __reduce_max_sync(0xffffffffu, bits);
    if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned*>(out), bits);
  }
  __syncthreads();  // so that a later call may reuse warp_max
}

}  // namespace mansard::kernels::nvfp4::device
