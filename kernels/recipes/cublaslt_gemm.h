// SPDX-License-Identifier: Apache-2.0
// GemmProblem by cuBLASLt's tensor-core kernels, of BF16 or FP8 operands.
#pragma once

#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

#include "kernels/device/device_buffer.h"
#include "kernels/recipes/gemm.h"

namespace mansard {

class CublasLtHandle;

class CublasLtContext {
 public:
  CublasLtContext();
  ~CublasLtContext();
  CublasLtContext(const CublasLtContext&) = delete;
  CublasLtContext& operator=(const CublasLtContext&) = delete;

  // Chooses cuBLASLt's first algorithm for the problem; the result enqueues on `stream`. Throws
  // std::runtime_error when there is none.
  std::function<void()> prepare(const GemmProblem& problem, cudaStream_t stream);

 private:
  // What NVIDIA's cuBLAS documentation recommends for Hopper.
  static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

  std::unique_ptr<CublasLtHandle> handle_;
  DeviceBuffer<unsigned char> workspace_{kWorkspaceBytes};
  DeviceBuffer<float> zero_{1};  // beta of GEMMs whose alpha is on the device
};

}  // namespace mansard
