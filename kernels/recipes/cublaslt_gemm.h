// SPDX-License-Identifier: Apache-2.0
// Executes a GemmProblem with cuBLASLt's tensor-core kernels, for BF16 or quantized operands.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <cuda_runtime_api.h>

#include "kernels/device/device_buffer.h"
#include "kernels/recipes/cublaslt.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

class CublasLtHandle;

// FP32 scales of 1x128 and 128x128 blocks need cuBLAS 12.9. False if this build or the library at
// run time is older.
bool cublaslt_has_block_scales_of_128();

class CublasLtContext {
 public:
  // NVIDIA's cuBLAS documentation recommends this size for Hopper.
  static constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

  CublasLtContext();
  ~CublasLtContext();
  CublasLtContext(const CublasLtContext&) = delete;
  CublasLtContext& operator=(const CublasLtContext&) = delete;

  // Whether prepare() measures cuBLASLt's first algorithms for a problem, once for all problems
  // that differ only in addresses, or takes the first one.
  void measure(bool on) { measures_ = on; }

  // The result enqueues on `stream` and may use kWorkspaceBytes starting at `workspace`. Throws
  // std::runtime_error if there is no algorithm.
  std::function<void()> prepare(const GemmProblem& problem, void* workspace, cudaStream_t stream);

 private:
  const float* zero() const { return constants_.get(); }
  const float* one() const { return constants_.get() + 4; }

  bool measures_ = false;
  // By the text that describes the problem without its addresses.
  std::map<std::string, cublasLtMatmulAlgo_t> measured_;
  std::unique_ptr<CublasLtHandle> handle_;
  // Values of beta for GEMMs with alpha on the device, 16 bytes apart.
  DeviceBuffer<float> constants_;
};

}  // namespace mansard::kernels
