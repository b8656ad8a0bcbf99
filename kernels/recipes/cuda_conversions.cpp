// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cuda_conversions.h"

#include <stdexcept>

#include "kernels/fp8/fp8.h"
#include "kernels/mor/mor.h"
#include "kernels/numerics/numerics.h"
#include "kernels/recipes/fp8_gemm_alpha.h"

namespace mansard::kernels {

CudaConversions::OnDevice::OnDevice(int device) {
  cuda_check(cudaSetDevice(device), "use CUDA device " + std::to_string(device));
}

CudaConversions::CudaConversions(int device)
    : on_device_(device), own_stream_(std::make_unique<CudaStream>()), stream_(own_stream_->get()) {
  clear_scratch();
}

CudaConversions::CudaConversions(int device, cudaStream_t stream)
    : on_device_(device), stream_(stream) {
  clear_scratch();
}

void CudaConversions::clear_scratch() {
  scratch_.fill_bytes(0);
  // The memset runs in the default stream, which this stream does not wait for.
  cuda_check(cudaDeviceSynchronize(), "clear the scratch of reductions");
}

void CudaConversions::amax(const Bf16* x, Shape shape, float* out) {
  nvfp4::amax(x, shape, out, scratch_.get(), stream());
}

void CudaConversions::amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) {
  nvfp4::amax_rht(x, shape, out, out_rht, scratch_.get(), stream());
}

void CudaConversions::nvfp4_quantize_both(const Bf16* x, Shape shape, ScaleLayout layout,
                                          const float* amax, const float* amax_t,
                                          nvfp4::Transform transform, nvfp4::Matrix out,
                                          nvfp4::Matrix out_t, const nvfp4::RandomState* random) {
  nvfp4::quantize_both(x, shape, amax, amax_t, transform, out, out_t,
                       {.random = random, .layout = layout}, stream());
}

void CudaConversions::nvfp4_quantize_16x16(const Bf16* x, Shape shape, ScaleLayout layout,
                                           const float* amax, nvfp4::Matrix out,
                                           nvfp4::Matrix out_t) {
  nvfp4::quantize_16x16(x, shape, amax, out, out_t, {.layout = layout}, stream());
}

void CudaConversions::nvfp4_dequantize(nvfp4::Matrix in, Shape shape, ScaleLayout layout,
                                       Bf16* out) {
  nvfp4::dequantize(in, shape, layout, out, stream());
}

void CudaConversions::nvfp4_gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) {
  nvfp4::gemm_alpha(amax_a, amax_b, alpha, stream());
}

void CudaConversions::next_random(nvfp4::RandomState* state) {
  nvfp4::next_random(state, stream());
}

void CudaConversions::fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape,
                                         const float* amax, fp8::TensorScale* scale,
                                         std::uint8_t* out, std::uint8_t* out_t,
                                         float* raised_amax) {
  fp8::cast_transpose(format, x, shape, {scale, amax}, out, out_t, raised_amax, stream());
}

void CudaConversions::fp8_update_scale(fp8::Format format, float* amax, float* history, int length,
                                       fp8::TensorScale* scale) {
  fp8::update_delayed_scale(format, fp8::AmaxChoice::largest, amax, history, length, scale,
                            stream());
}

void CudaConversions::fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape,
                                 Bf16* out) {
  fp8::decode(format, codes, shape, out, stream());
}

void CudaConversions::fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha) {
  mansard::kernels::fp8_gemm_alpha(inverse_a, inverse_b, alpha, stream());
}

void CudaConversions::quantize_blocks(const BlockScheme& scheme, const Bf16* x, Shape shape,
                                      BlockCodes out, BlockCodes out_t) {
  constexpr auto kFormat = fp8::Format::e4m3;
  constexpr auto kRounding = fp8::ScaleRounding::power_of_two;
  switch (scheme.scaling) {
    case Scaling::block_1x128:
      return fp8::quantize_1x128(kFormat, kRounding, x, shape, out.with_fp32_scales(),
                                 out_t.with_fp32_scales(), stream());
    case Scaling::block_128x128:
      return fp8::quantize_128x128(kFormat, kRounding, x, shape, out.with_fp32_scales(),
                                   out_t.with_fp32_scales(), stream());
    case Scaling::mx_1x32:
      return fp8::quantize_mxfp8(kFormat, scheme.layout, x, shape, out.with_e8m0_scales(),
                                 out_t.with_e8m0_scales(), stream());
    default:
      throw std::logic_error("this block scaling does not exist for FP8");
  }
}

void CudaConversions::dequantize_blocks(const BlockScheme& scheme, BlockCodes in, Shape shape,
                                        Bf16* out) {
  constexpr auto kFormat = fp8::Format::e4m3;
  switch (scheme.scaling) {
    case Scaling::block_1x128:
      return fp8::dequantize_1x128(kFormat, in.with_fp32_scales(), shape, out, stream());
    case Scaling::block_128x128:
      return fp8::dequantize_128x128(kFormat, in.with_fp32_scales(), shape, out, stream());
    case Scaling::mx_1x32:
      return fp8::dequantize_mxfp8(kFormat, scheme.layout, in.with_e8m0_scales(), shape, out,
                                   stream());
    default:
      throw std::logic_error("this block scaling does not exist for FP8");
  }
}

void CudaConversions::mor_quantize_blocks(const Bf16* x, Shape shape, const float* amax,
                                          float threshold, mor::Counts* counts, Bf16* out) {
  mor::quantize_blocks(x, shape, amax, threshold, counts, out, stream());
}

void CudaConversions::mor_choose(const Bf16* x, Shape shape, const float* amax, float threshold,
                                 mor::Counts* counts, mor::TensorChoice* choice) {
  mor::choose(x, shape, amax, threshold, counts, choice, stream());
}

void CudaConversions::mor_quantize_tensor(const Bf16* x, Shape shape, const float* amax,
                                          const mor::TensorChoice* choice, Bf16* out) {
  mor::quantize_tensor(x, shape, amax, choice, out, stream());
}

void CudaConversions::rht_transposed(const Bf16* x, Shape shape, Bf16* out) {
  nvfp4::rht_transposed(x, shape, out, stream());
}

void CudaConversions::sum_errors(const numerics::OperandError& operand, numerics::Sums* partials,
                                 numerics::Sums* out) {
  numerics::sum_errors(operand, partials, out, stream());
}

}  // namespace mansard::kernels

#endif
