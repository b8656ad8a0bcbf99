// SPDX-License-Identifier: Apache-2.0
// The conversions between number formats that recipes are made of, where the tensors are. Each
// stands for one launch on a device. Shapes and layouts: kernels/nvfp4/layout.h,
// kernels/fp8/layout.h.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/layout.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

// FP8 codes with one factor for each block.
struct BlockCodes {
  std::uint8_t* codes = nullptr;
  void* scales = nullptr;  // FP32, or E8M0 for Scaling::mx_1x32
  fp8::Blocks with_fp32_scales() const { return {codes, static_cast<float*>(scales)}; }
  fp8::MxBlocks with_e8m0_scales() const { return {codes, static_cast<std::uint8_t*>(scales)}; }
};

// How the blocks of a tensor are scaled: block_1x128, block_128x128 or mx_1x32, the latter with a
// layout.
struct BlockScheme {
  Scaling scaling = Scaling::none;
  ScaleLayout layout = ScaleLayout::linear;
};

class Conversions {
 public:
  virtual ~Conversions() = default;

  virtual void amax(const Bf16* x, Shape shape, float* out) = 0;
  virtual void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) = 0;

  // --- NVFP4 ---

  // Rows by 1x16, and columns by 1x16 after the Hadamard transform; stochastically where `random`
  // is given, which is where the tensors are.
  virtual void nvfp4_quantize_both(const Bf16* x, Shape shape, ScaleLayout layout,
                                   const float* amax, const float* amax_rht, nvfp4::Matrix out,
                                   nvfp4::Matrix out_rht, const nvfp4::RandomState* random) = 0;
  virtual void nvfp4_quantize_16x16(const Bf16* x, Shape shape, ScaleLayout layout,
                                    const float* amax, nvfp4::Matrix out, nvfp4::Matrix out_t) = 0;
  virtual void nvfp4_dequantize(nvfp4::Matrix in, Shape shape, Bf16* out) = 0;  // linear scales
  virtual void nvfp4_gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) = 0;
  virtual void next_random(nvfp4::RandomState* state) = 0;  // ++offset

  // --- FP8 with one scale for a tensor ---

  // x and x^T. With `amax` (current scaling) *scale is made of it, otherwise read; `raised_amax`,
  // where given, is raised to the largest magnitude of x.
  virtual void fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape, const float* amax,
                                  fp8::TensorScale* scale, std::uint8_t* out, std::uint8_t* out_t,
                                  float* raised_amax) = 0;
  // Delayed scaling: *amax goes to the front of the history and becomes 0, *scale is made of the
  // largest.
  virtual void fp8_update_scale(fp8::Format format, float* amax, float* history, int length,
                                fp8::TensorScale* scale) = 0;
  // The codes' values, exact; fp8_gemm_alpha() holds the scales.
  virtual void fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape,
                          Bf16* out) = 0;
  virtual void fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha) = 0;

  // --- E4M3 with power-of-two scales for blocks ---

  // x and x^T.
  virtual void quantize_blocks(const BlockScheme& scheme, const Bf16* x, Shape shape,
                               BlockCodes out, BlockCodes out_t) = 0;
  // Code * factor, exact but for BF16's range.
  virtual void dequantize_blocks(const BlockScheme& scheme, BlockCodes in, Shape shape,
                                 Bf16* out) = 0;
};

}  // namespace mansard::kernels
