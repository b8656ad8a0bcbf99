// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt_gemm.h"

#include <stdexcept>

#include "kernels/recipes/cublaslt_matmul.h"

namespace mansard {
namespace {

cudaDataType_t data_type(Precision format) {
  if (format == Precision::bf16) return CUDA_R_16BF;
  if (format == Precision::fp8_e4m3) return CUDA_R_8F_E4M3;
  if (format == Precision::fp8_e5m2) return CUDA_R_8F_E5M2;
  throw std::logic_error("layers have no GEMM of " + std::string(info(format).label));
}

std::string describe(const GemmProblem& p) {
  return std::string(p.a.is_fp8() ? "an FP8" : "a BF16") + " GEMM of " + std::to_string(p.m) + "x" +
         std::to_string(p.n) + "x" + std::to_string(p.k);
}

}  // namespace

CublasLtContext::CublasLtContext() : handle_(std::make_unique<CublasLtHandle>()) {
  zero_.fill_bytes(0);
  // The memset belongs to the default stream, which those of the GEMMs do not wait for.
  cuda_check(cudaDeviceSynchronize(), "prepare cuBLASLt's constants");
}

CublasLtContext::~CublasLtContext() = default;

std::function<void()> CublasLtContext::prepare(const GemmProblem& p, cudaStream_t stream) {
  const cublasLtHandle_t handle = handle_->get();
  MatmulTypes types;
  types.a = data_type(p.a.format);
  types.b = data_type(p.b.format);
  types.result = p.output == GemmOutput::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  const auto matmul = std::make_shared<CublasLtMatmul>(describe(p), types, p.m, p.n, p.k,
                                                       p.a.reduction, p.b.reduction);
  if (p.a.is_fp8()) {
    matmul->set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{p.fast_accumulation});
    matmul->set_scales(CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, p.a.scale, p.b.scale);
  }
  // The factor of NVFP4 is computed on the device and must not be waited for. Without a factor
  // cuBLASLt may know on the host that beta is 0.
  matmul->set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
              p.alpha != nullptr ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
  const std::vector<cublasLtMatmulAlgo_t> algorithms =
      matmul->algorithms(handle, kWorkspaceBytes, 1);
  cublaslt_check(algorithms.empty() ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS,
                 "find an algorithm for " + matmul->name());
  static constexpr float kOne = 1.0f;
  static constexpr float kZero = 0.0f;
  MatmulBuffers buffers;
  buffers.a = p.a.data;
  buffers.b = p.b.data;
  buffers.c = p.c;
  buffers.alpha = p.alpha != nullptr ? p.alpha : &kOne;
  buffers.beta = p.alpha != nullptr ? zero_.get() : &kZero;
  buffers.workspace = workspace_.get();
  buffers.workspace_bytes = kWorkspaceBytes;
  return [=, algorithm = algorithms.front()] {
    cublaslt_check(matmul->run(handle, algorithm, buffers, stream), "run " + matmul->name());
  };
}

}  // namespace mansard

#endif
