// SPDX-License-Identifier: Apache-2.0
// Conversions between number formats that recipes consist of, executed where the tensors are. On a
// device each is one launch. Shapes and layouts: kernels/nvfp4/layout.h, kernels/fp8/layout.h.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/layout.h"
#include "kernels/mor/representation.h"
#include "kernels/numerics/operand_error.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

// FP8 codes with one factor per block.
struct BlockCodes {
  std::uint8_t* codes = nullptr;
  void* scales = nullptr;  // FP32, or E8M0 for Scaling::mx_1x32
  fp8::Blocks with_fp32_scales() const { return {codes, static_cast<float*>(scales)}; }
  fp8::MxBlocks with_e8m0_scales() const { return {codes, static_cast<std::uint8_t*>(scales)}; }
};

// Block scaling of a tensor: block_1x128, block_128x128 or mx_1x32, the latter with a layout.
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

  // Rows by 1x16, and columns by 1x16 after the transform; `amax_t` is the amax of the
  // (transformed) transpose. Rounds stochastically if `random` (in the tensors' memory) is set.
  virtual void nvfp4_quantize_both(const Bf16* x, Shape shape, ScaleLayout layout,
                                   const float* amax, const float* amax_t,
                                   nvfp4::Transform transform, nvfp4::Matrix out,
                                   nvfp4::Matrix out_t, const nvfp4::RandomState* random) = 0;
  virtual void nvfp4_quantize_16x16(const Bf16* x, Shape shape, ScaleLayout layout,
                                    const float* amax, nvfp4::Matrix out, nvfp4::Matrix out_t) = 0;
  virtual void nvfp4_dequantize(nvfp4::Matrix in, Shape shape, ScaleLayout layout, Bf16* out) = 0;
  virtual void nvfp4_gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) = 0;
  virtual void next_random(nvfp4::RandomState* state) = 0;  // ++offset

  // --- FP8 with one scale per tensor ---

  // Casts x and x^T. With `amax` (current scaling) *scale is computed from it; otherwise *scale is
  // read. `raised_amax`, if set, is raised to the largest magnitude of x.
  virtual void fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape, const float* amax,
                                  fp8::TensorScale* scale, std::uint8_t* out, std::uint8_t* out_t,
                                  float* raised_amax) = 0;
  // Delayed scaling: moves *amax to the front of the history and resets it to 0; computes *scale
  // from the largest entry.
  virtual void fp8_update_scale(fp8::Format format, float* amax, float* history, int length,
                                fp8::TensorScale* scale) = 0;
  // Exact values of the codes; fp8_gemm_alpha() applies the scales.
  virtual void fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape,
                          Bf16* out) = 0;
  virtual void fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha) = 0;

  // --- E4M3 with power-of-two block scales ---

  // Quantizes x and x^T.
  virtual void quantize_blocks(const BlockScheme& scheme, const Bf16* x, Shape shape,
                               BlockCodes out, BlockCodes out_t) = 0;
  // Code * factor, exact within BF16's range.
  virtual void dequantize_blocks(const BlockScheme& scheme, BlockCodes in, Shape shape,
                                 Bf16* out) = 0;

  // --- mixture of representations; `amax` is the tensor's ---

  virtual void mor_quantize_blocks(const Bf16* x, Shape shape, const float* amax, float threshold,
                                   mor::Counts* counts, Bf16* out) = 0;
  virtual void mor_choose(const Bf16* x, Shape shape, const float* amax, float threshold,
                          mor::Counts* counts, mor::TensorChoice* choice) = 0;
  virtual void mor_quantize_tensor(const Bf16* x, Shape shape, const float* amax,
                                   const mor::TensorChoice* choice, Bf16* out) = 0;

  // --- numerics record ---

  // out[cols x rows] = RHT(x^T) in BF16, as nvfp4_quantize_both() rounds it before it quantizes.
  virtual void rht_transposed(const Bf16* x, Shape shape, Bf16* out) = 0;
  // `partials`: numerics::kPartialSums elements of scratch.
  virtual void sum_errors(const numerics::OperandError& operand, numerics::Sums* partials,
                          numerics::Sums* out) = 0;
};

}  // namespace mansard::kernels
