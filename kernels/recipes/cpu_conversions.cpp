// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/cpu_conversions.h"

#include <stdexcept>

#include "kernels/fp8/reference.h"
#include "kernels/mor/reference.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels {

void CpuConversions::amax(const Bf16* x, Shape shape, float* out) {
  *out = nvfp4::reference::amax(x, shape);
}

void CpuConversions::amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) {
  *out = nvfp4::reference::amax(x, shape);
  *out_rht = nvfp4::reference::amax_rht_transposed(x, shape);
}

void CpuConversions::nvfp4_quantize_both(const Bf16* x, Shape shape, ScaleLayout layout,
                                         const float* amax, const float* amax_t,
                                         nvfp4::Transform transform, nvfp4::Matrix out,
                                         nvfp4::Matrix out_t, const nvfp4::RandomState* random) {
  const nvfp4::reference::Options options = {.random = random, .layout = layout};
  nvfp4::reference::quantize_1x16(x, shape, *amax, out, options);
  nvfp4::reference::quantize_transposed(x, shape, *amax_t, transform, out_t, options);
}

void CpuConversions::nvfp4_quantize_16x16(const Bf16* x, Shape shape, ScaleLayout layout,
                                          const float* amax, nvfp4::Matrix out,
                                          nvfp4::Matrix out_t) {
  nvfp4::reference::quantize_16x16(x, shape, *amax, out, out_t, {.layout = layout});
}

void CpuConversions::nvfp4_dequantize(nvfp4::Matrix in, Shape shape, ScaleLayout layout,
                                      Bf16* out) {
  nvfp4::reference::dequantize(in, shape, out, layout);
}

void CpuConversions::nvfp4_gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) {
  *alpha = nvfp4::reference::gemm_alpha(*amax_a, *amax_b);
}

void CpuConversions::next_random(nvfp4::RandomState* state) { ++state->offset; }

void CpuConversions::fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape,
                                        const float* amax, fp8::TensorScale* scale,
                                        std::uint8_t* out, std::uint8_t* out_t,
                                        float* raised_amax) {
  if (amax != nullptr) *scale = fp8::reference::tensor_scale(format, *amax);
  fp8::reference::cast_transpose(format, x, shape, scale->scale, out, out_t, raised_amax);
}

void CpuConversions::fp8_update_scale(fp8::Format format, float* amax, float* history, int length,
                                      fp8::TensorScale* scale) {
  fp8::reference::update_delayed_scale(format, fp8::AmaxChoice::largest, amax, history, length,
                                       scale);
}

void CpuConversions::fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape,
                                Bf16* out) {
  fp8::reference::decode(format, codes, shape, out);
}

void CpuConversions::fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha) {
  *alpha = *inverse_a * *inverse_b;
}

void CpuConversions::quantize_blocks(const BlockScheme& scheme, const Bf16* x, Shape shape,
                                     BlockCodes out, BlockCodes out_t) {
  using namespace fp8::reference;
  constexpr auto kFormat = fp8::Format::e4m3;
  constexpr auto kRounding = fp8::ScaleRounding::power_of_two;
  switch (scheme.scaling) {
    case Scaling::block_1x128:
      return quantize_1x128(kFormat, kRounding, x, shape, out.with_fp32_scales(),
                            out_t.with_fp32_scales());
    case Scaling::block_128x128:
      return quantize_128x128(kFormat, kRounding, x, shape, out.with_fp32_scales(),
                              out_t.with_fp32_scales());
    case Scaling::mx_1x32:
      return quantize_mxfp8(kFormat, scheme.layout, x, shape, out.with_e8m0_scales(),
                            out_t.with_e8m0_scales());
    default:
      throw std::logic_error("this block scaling does not exist for FP8");
  }
}

void CpuConversions::dequantize_blocks(const BlockScheme& scheme, BlockCodes in, Shape shape,
                                       Bf16* out) {
  using namespace fp8::reference;
  constexpr auto kFormat = fp8::Format::e4m3;
  switch (scheme.scaling) {
    case Scaling::block_1x128:
      return dequantize_1x128(kFormat, in.with_fp32_scales(), shape, out);
    case Scaling::block_128x128:
      return dequantize_128x128(kFormat, in.with_fp32_scales(), shape, out);
    case Scaling::mx_1x32:
      return dequantize_mxfp8(kFormat, scheme.layout, in.with_e8m0_scales(), shape, out);
    default:
      throw std::logic_error("this block scaling does not exist for FP8");
  }
}

void CpuConversions::mor_quantize_blocks(const Bf16* x, Shape shape, const float* amax,
                                         float threshold, mor::Counts* counts, Bf16* out) {
  mor::reference::quantize_blocks(x, shape, *amax, threshold, counts, out);
}

void CpuConversions::mor_choose(const Bf16* x, Shape shape, const float* amax, float threshold,
                                mor::Counts* counts, mor::TensorChoice* choice) {
  mor::reference::choose(x, shape, *amax, threshold, counts, choice);
}

void CpuConversions::mor_quantize_tensor(const Bf16* x, Shape shape, const float* amax,
                                         const mor::TensorChoice* choice, Bf16* out) {
  mor::reference::quantize_tensor(x, shape, *amax, *choice, out);
}

void CpuConversions::rht_transposed(const Bf16* x, Shape shape, Bf16* out) {
  nvfp4::reference::rht_transposed(x, shape, out);
}

void CpuConversions::sum_errors(const numerics::OperandError& operand, numerics::Sums*,
                                numerics::Sums* out) {
  *out = numerics::sums_of(operand);
}

}  // namespace mansard::kernels
