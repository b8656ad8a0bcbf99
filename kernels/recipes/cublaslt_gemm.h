// SPDX-License-Identifier: Apache-2.0
// GemmProblem by cuBLASLt's tensor-core kernels, of BF16 operands or of quantized ones.
#pragma once

#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

#include "kernels/device/device_buffer.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

class CublasLtHandle;

// FP32 scales of 1x128 and 128x128 came with cuBLAS 12.9: false where this build or the library it
// runs with is older.
bool cublaslt_has_block_scales_of_128();

class CublasLtContext {
 public:
  // What NVIDIA's cuBLAS documentation recommends for Hopper.
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

  CublasLtContext();
  ~CublasLtContext();
  CublasLtContext(const CublasLtContext&) = delete;
  CublasLtContext& operator=(const CublasLtContext&) = delete;

  // Chooses cuBLASLt's first algorithm for the problem; the result enqueues on `stream` and may use
  // kWorkspaceBytes from `workspace` on. Throws std::runtime_error when there is none.
  std::function<void()> prepare(const GemmProblem& problem, void* workspace, cudaStream_t stream);

 private:
  const float* zero() const { return constants_.get(); }
  const float* one() const { return constants_.get() + 4; }

  std::unique_ptr<CublasLtHandle> handle_;
  // Values of beta for GEMMs whose alpha is on the device, 16 bytes apart.
  DeviceBuffer<float> constants_;
};

}  // namespace mansard::kernels
