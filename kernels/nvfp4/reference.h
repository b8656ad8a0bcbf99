// SPDX-License-Identifier: Apache-2.0
// NVFP4 on the host: the definition that every CUDA kernel must reproduce bit for bit, and the CPU
// implementation of the recipes. FP32 arithmetic step by step as in "Pretraining Large Language
// Models with NVFP4" (arXiv 2509.25149) and NVIDIA Transformer Engine's reference quantizer; no
// step may be fused or reassociated (see the compile options in kernels/CMakeLists.txt).
//
// x is BF16, FP16 or FP32; every element is converted to FP32 first.
//
// NaN: a NaN in the input makes amax NaN, and thus every scale of the tensor, so that it cannot
// disappear.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4::reference {

// Encoding scale of a tensor, and the scale of one block.
struct BlockScale {
  std::uint8_t stored = 0;  // E4M3
  float encode = 0;         // factor of the elements before rounding to E2M1
};
float tensor_encode_scale(float tensor_amax);
std::uint8_t stored_scale(float block_amax, float tensor_encode_scale);
float encode_scale(std::uint8_t stored, float tensor_encode_scale);
BlockScale block_scale(float block_amax, float tensor_encode_scale);

// Largest magnitude; NaN if any element is NaN.
float amax(Input x, Shape shape);
// Largest magnitude of the transformed transpose, computed without storing it.
float amax_rht_transposed(Input x, Shape shape, const Hadamard& hadamard = Transform::rht);

// Replaces `hadamard.size` values by their transform; see hadamard.h for the arithmetic.
void transform(float* values, const Hadamard& hadamard);

// out[cols x rows] = x^T, transformed in runs along x's rows. If the rows end within a run, only
// the first of its results are stored.
void rht_transposed(Input x, Shape shape, Bf16* out, const Hadamard& hadamard = Transform::rht);

// Options common to all quantizations, besides shape and scales.
struct Options {
  const RandomState* random = nullptr;  // nullptr: nearest, ties to even; else stochastic
  ScaleLayout layout = ScaleLayout::linear;
};

// Stochastic rounding of y = |x| * encode to E2M1. With z = y + 6 for y <= 4 and z = y / 2 + 8
// above, the binades of z end where the steps of E2M1 double, so that the FP32 bits of z count 2^20
// per code from 6.0 on:
//   excess = clamp(fma(|x|, encode / 2, -2), 0, 1)
//   z      = fma(|x|, encode, 6) - excess
//   code   = (bits(z) + 16 * random - bits(6.0)) >> 20, at most 7
// Each step is rounded to FP32. The probability of rounding up is the relative distance from the
// lower neighbor in units of 1/65536, rounded down. Values on the grid do not change; -0 and NaN
// lose their sign; NaN becomes 6. The function is inline so that compilers can vectorize a loop
// over it.
inline std::uint32_t to_e2m1_stochastic(float x, float encode, std::uint16_t random) {
  constexpr auto kBits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
  constexpr std::uint32_t kBelowEight = kBits(12.0f) - 1;  // the largest code is 7
  const float magnitude = std::fabs(x);
  const float beyond_4 = std::fma(magnitude, 0.5f * encode, -2.0f);
  const float excess = beyond_4 > 0 ? std::min(beyond_4, 1.0f) : 0.0f;
  const float z = std::fma(magnitude, encode, 6.0f) - excess;
  const std::uint32_t carried = std::min(kBits(z) + (std::uint32_t{random} << 4), kBelowEight);
  return (carried - kBits(6.0f)) >> 20 | (x < 0 ? 8u : 0u);
}

void quantize_1x16(Input x, Shape shape, float tensor_amax, Matrix out,
                   const Options& options = {});

// One scale per 16x16 tile, stored for each 1x16 block. `out` holds x, `out_t` holds x^T.
void quantize_16x16(Input x, Shape shape, float tensor_amax, Matrix out, Matrix out_t,
                    const Options& options = {});

// `out` holds x^T (cols x rows) in blocks along x's rows, transformed first; `tensor_amax` is the
// amax of the (transformed) transpose. Transform::none and Transform::rht convert to Hadamard.
void quantize_transposed(Input x, Shape shape, float tensor_amax, const Hadamard& hadamard,
                         Matrix out, const Options& options = {});

// code * block scale, exact in BF16 (at most five significant bits). The tensor's scale is left to
// the GEMM, see gemm_alpha().
void dequantize(Matrix in, Shape shape, Bf16* out, ScaleLayout layout = ScaleLayout::linear);

// The alpha of a GEMM of two dequantized operands.
float gemm_alpha(float amax_a, float amax_b);

}  // namespace mansard::kernels::nvfp4::reference
