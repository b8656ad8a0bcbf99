// SPDX-License-Identifier: Apache-2.0
// Scalar FP8 arithmetic on the device, in rounding intrinsics so that no compiler option can fuse
// or approximate it. Written independently of the host reference: the tests compare the two.
#pragma once

#include <cstdint>

#include <cuda_fp8.h>

#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8::device {

inline constexpr float kFloatMax = 3.402823466e38f;

template <Format F>
inline constexpr float kMaxValue = F == Format::e4m3 ? 448.0f : 57344.0f;

// As unsigned integers, magnitudes have the same order as their values, with NaN above infinity.
inline constexpr std::uint32_t kInfinityBits = 0x7f800000u;
inline constexpr std::uint32_t kNanBits = 0x7fffffffu;

// The two BF16 halves of a word as FP32.
__device__ __forceinline__ float low_bf16(std::uint32_t pair) {
  return __uint_as_float(pair << 16);
}
__device__ __forceinline__ float high_bf16(std::uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000u);
}

// The scale for the magnitude of a block or tensor, given as bits; see reference.h.
template <Format F>
__device__ __forceinline__ float encoding_scale(std::uint32_t amax_bits) {
  if (amax_bits > kInfinityBits) return __uint_as_float(kNanBits);
  if (amax_bits == 0 || amax_bits == kInfinityBits) return 1.0f;
  return fminf(__fdiv_rn(kMaxValue<F>, __uint_as_float(amax_bits)), kFloatMax);
}

__device__ __forceinline__ float inverse_of(float scale) {
  return scale != scale ? __uint_as_float(kNanBits) : __frcp_rn(scale);
}

template <Format F>
__device__ __forceinline__ TensorScale tensor_scale(float amax) {
  const float scale = encoding_scale<F>(__float_as_uint(amax));
  return {scale, inverse_of(scale)};
}

template <Format F>
__device__ __forceinline__ TensorScale block_scale(ScaleRounding rounding,
                                                   std::uint32_t amax_bits) {
  float scale = encoding_scale<F>(amax_bits);
  if (rounding == ScaleRounding::power_of_two && scale == scale) {
    scale = __uint_as_float(__float_as_uint(scale) & kInfinityBits);
  }
  return {scale, inverse_of(scale)};
}

// E8M0, rounded up.
template <Format F>
__device__ __forceinline__ std::uint32_t mx_scale(std::uint32_t amax_bits) {
  constexpr float kInverseMax = 1.0f / kMaxValue<F>;
  const std::uint32_t bits = __float_as_uint(__fmul_rn(__uint_as_float(amax_bits), kInverseMax));
  const std::uint32_t rounded = min((bits + 0x7fffffu) >> 23, 254u);
  if (bits > kInfinityBits) return 255u;
  return bits <= 0x00400000u ? 0u : rounded;
}

// 2^(127 - exponent) as the bits of a BF16, which represents it exactly.
__device__ __forceinline__ std::uint32_t mx_reciprocal_bf16(std::uint32_t exponent) {
  if (exponent == 255u) return 0x7fffu;
  return exponent == 254u ? 0x0040u : (254u - exponent) << 7;
}

#if __CUDA_ARCH__ < 890
// Without a conversion instruction: the integer steps of kernels/formats/fp8_format.h.
template <Format F>
__device__ __forceinline__ std::uint32_t encode_in_software(float x) {
  constexpr int kMantissaBits = F == Format::e4m3 ? 3 : 2;
  constexpr int kBias = F == Format::e4m3 ? 7 : 15;
  constexpr int kDropped = 23 - kMantissaBits;
  constexpr std::uint32_t kUlpIsOneStep = (127 + kDropped + 1 - kBias) << 23;
  constexpr std::uint32_t kRebias = (127 - kBias) << kMantissaBits;
  const float a = fminf(fabsf(x), kMaxValue<F>);
  const std::uint32_t bits = __float_as_uint(a);
  const std::uint32_t subnormal =
      __float_as_uint(__fadd_rn(a, __uint_as_float(kUlpIsOneStep))) - kUlpIsOneStep;
  const std::uint32_t normal =
      ((bits + (1u << (kDropped - 1)) - 1 + (bits >> kDropped & 1u)) >> kDropped) - kRebias;
  const std::uint32_t code = bits < ((128u - kBias) << 23) ? subnormal : normal;
  return x != x ? 0x7fu : code | (__float_as_uint(x) >> 24 & 0x80u);
}
#endif

// Nearest, ties to even, saturating; NaN is 0x7f. `a` is the low byte.
template <Format F>
__device__ __forceinline__ std::uint32_t encode_pair(float a, float b) {
#if __CUDA_ARCH__ >= 890
  return __nv_cvt_float2_to_fp8x2({a, b}, __NV_SATFINITE,
                                  F == Format::e4m3 ? __NV_E4M3 : __NV_E5M2);
#else
  return encode_in_software<F>(a) | encode_in_software<F>(b) << 8;
#endif
}

template <Format F>
__device__ __forceinline__ std::uint32_t encode_four(float a, float b, float c, float d) {
  return encode_pair<F>(a, b) | encode_pair<F>(c, d) << 16;
}

}  // namespace mansard::kernels::fp8::device
