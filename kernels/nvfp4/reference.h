// SPDX-License-Identifier: Apache-2.0
// NVFP4 on the host: the definition that every CUDA kernel must reproduce bit for bit, and the
// CPU's own path through the recipes. FP32 arithmetic step by step as in "Pretraining Large
// Language Models with NVFP4" (arXiv 2509.25149) and NVIDIA Transformer Engine's reference
// quantizer; none of it may be fused or reassociated (see the compile options in
// kernels/CMakeLists.txt).
//
// x is BF16, FP16 or FP32; every element enters the arithmetic as the FP32 number of its value.
//
// NaN: an input NaN makes amax NaN, and with it every scale of the tensor, so that it cannot
// vanish.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4::reference {

// Encoding scale of a tensor and of one block.
struct BlockScale {
  std::uint8_t stored = 0;  // E4M3
  float encode = 0;         // elements are multiplied by this before E2M1
};
float tensor_encode_scale(float tensor_amax);
std::uint8_t stored_scale(float block_amax, float tensor_encode_scale);
float encode_scale(std::uint8_t stored, float tensor_encode_scale);
BlockScale block_scale(float block_amax, float tensor_encode_scale);

// The largest magnitude, NaN if any element is NaN.
float amax(Input x, Shape shape);
// The same of the transformed transpose, without storing that.
float amax_rht_transposed(Input x, Shape shape, const Hadamard& hadamard = Transform::rht);

// Replaces `hadamard.size` values by their transform; see hadamard.h for its arithmetic.
void transform(float* values, const Hadamard& hadamard);

// out[cols x rows] = x^T, transformed in runs along x's rows; where the rows end within a run, of
// its results the first ones are stored.
void rht_transposed(Input x, Shape shape, Bf16* out, const Hadamard& hadamard = Transform::rht);

// What the quantizations share beside shape and scales.
struct Options {
  const RandomState* random = nullptr;  // nullptr: nearest, ties to even; else stochastic
  ScaleLayout layout = ScaleLayout::linear;
};

// Stochastic rounding of y = |x| * encode to E2M1. z = y + 6 up to y = 4 and y / 2 + 8 beyond has
// its binade's end where E2M1's steps double, so that the bits of z as FP32 count 2^20 for each
// code from 6.0 on:
//   excess = clamp(fma(|x|, encode / 2, -2), 0, 1)
//   z      = fma(|x|, encode, 6) - excess
//   code   = (bits(z) + 16 * random - bits(6.0)) >> 20, at most 7
// each step rounded to FP32. It goes up with the probability of its nearness to the upper
// neighbor, in 65536ths, rounded down. A value on the grid stays, -0 and NaN lose their sign, NaN
// becomes 6.
// Inline, so that compilers turn a loop over it into vector code.
inline std::uint32_t to_e2m1_stochastic(float x, float encode, std::uint16_t random) {
  constexpr auto kBits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
  constexpr std::uint32_t kBelowEight = kBits(12.0f) - 1;  // codes end at 7
  const float magnitude = std::fabs(x);
  const float beyond_4 = std::fma(magnitude, 0.5f * encode, -2.0f);
  const float excess = beyond_4 > 0 ? std::min(beyond_4, 1.0f) : 0.0f;
  const float z = std::fma(magnitude, encode, 6.0f) - excess;
  const std::uint32_t carried = std::min(kBits(z) + (std::uint32_t{random} << 4), kBelowEight);
  return (carried - kBits(6.0f)) >> 20 | (x < 0 ? 8u : 0u);
}

void quantize_1x16(Input x, Shape shape, float tensor_amax, Matrix out,
                   const Options& options = {});

// One scale for each 16x16 tile, written for each 1x16 of it. `out` is of x, `out_t` of x^T.
void quantize_16x16(Input x, Shape shape, float tensor_amax, Matrix out, Matrix out_t,
                    const Options& options = {});

// `out` is of x^T (cols x rows), with blocks along x's rows, transformed first; `tensor_amax` is
// that of the (transformed) transpose. Transform::none and Transform::rht are Hadamards too.
void quantize_transposed(Input x, Shape shape, float tensor_amax, const Hadamard& hadamard,
                         Matrix out, const Options& options = {});

// code * block scale, exact in BF16 (at most five significant bits). The tensor's own factor is
// left to the GEMM, see gemm_alpha().
void dequantize(Matrix in, Shape shape, Bf16* out, ScaleLayout layout = ScaleLayout::linear);

// The factor that a GEMM of two dequantized operands must apply.
float gemm_alpha(float amax_a, float amax_b);

}  // namespace mansard::kernels::nvfp4::reference
