// SPDX-License-Identifier: Apache-2.0
// Conversions with the kernels of kernels/nvfp4, kernels/fp8 and kernels/mor, on their own stream
// or on the caller's.
#pragma once

#include "kernels/device/cuda_objects.h"
#include "kernels/device/device_buffer.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {

class CudaConversions : public Backend {
 public:
  // Makes `device` the current device of the calling thread.
  explicit CudaConversions(int device);
  // `stream` must outlive the object.
  CudaConversions(int device, cudaStream_t stream);

  void amax(const Bf16* x, Shape shape, float* out) override;
  void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) override;

  void nvfp4_quantize_both(const Bf16* x, Shape shape, ScaleLayout layout, const float* amax,
                           const float* amax_t, nvfp4::Transform transform, nvfp4::Matrix out,
                           nvfp4::Matrix out_t, const nvfp4::RandomState* random) override;
  void nvfp4_quantize_16x16(const Bf16* x, Shape shape, ScaleLayout layout, const float* amax,
                            nvfp4::Matrix out, nvfp4::Matrix out_t) override;
  void nvfp4_dequantize(nvfp4::Matrix in, Shape shape, ScaleLayout layout, Bf16* out) override;
  void nvfp4_gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) override;
  void next_random(nvfp4::RandomState* state) override;

  void fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape, const float* amax,
                          fp8::TensorScale* scale, std::uint8_t* out, std::uint8_t* out_t,
                          float* raised_amax) override;
  void fp8_update_scale(fp8::Format format, float* amax, float* history, int length,
                        fp8::TensorScale* scale) override;
  void fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape, Bf16* out) override;
  void fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha) override;

  void quantize_blocks(const BlockScheme& scheme, const Bf16* x, Shape shape, BlockCodes out,
                       BlockCodes out_t) override;
  void dequantize_blocks(const BlockScheme& scheme, BlockCodes in, Shape shape, Bf16* out) override;

  void mor_quantize_blocks(const Bf16* x, Shape shape, const float* amax, float threshold,
                           mor::Counts* counts, Bf16* out) override;
  void mor_choose(const Bf16* x, Shape shape, const float* amax, float threshold,
                  mor::Counts* counts, mor::TensorChoice* choice) override;
  void mor_quantize_tensor(const Bf16* x, Shape shape, const float* amax,
                           const mor::TensorChoice* choice, Bf16* out) override;

  void rht_transposed(const Bf16* x, Shape shape, Bf16* out) override;
  void sum_errors(const numerics::OperandError& operand, numerics::Sums* partials,
                  numerics::Sums* out) override;

 protected:
  cudaStream_t stream() const { return stream_; }

 private:
  // First member: objects are created on the current device.
  struct OnDevice {
    explicit OnDevice(int device);
  };
  void clear_scratch();

  OnDevice on_device_;
  std::unique_ptr<CudaStream> own_stream_;  // null: the caller's
  cudaStream_t stream_;
  DeviceBuffer<nvfp4::AmaxScratch> scratch_{1};
};

}  // namespace mansard::kernels
