// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt_matmul.h"

#include <memory>

namespace mansard::kernels {

// cuBLASLt is column-major: a row-major C (m x n) is its column-major C^T (n x m) = B * A^T, so B
// is its first operand. A row-major rows x k operand is column-major k x rows.
CublasLtMatmul::Layout::Layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols) {
  cublaslt_check(cublaslt().layout_create(&handle, type, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(cols), rows),
                 "describe a matrix");
}

CublasLtMatmul::Layout::Layout(cudaDataType_t type, ReductionAxis reduction, std::int64_t rows,
                               std::int64_t k)
    : Layout(type, reduction == ReductionAxis::inner ? k : rows,
             reduction == ReductionAxis::inner ? rows : k) {}

CublasLtMatmul::Layout::~Layout() { cublaslt().layout_destroy(handle); }

CublasLtMatmul::Operation::Operation(const MatmulTypes& types) {
  cublaslt_check(cublaslt().desc_create(&handle, types.compute, types.scalar), "describe a GEMM");
}

CublasLtMatmul::Operation::~Operation() { cublaslt().desc_destroy(handle); }

CublasLtMatmul::CublasLtMatmul(std::string name, const MatmulTypes& types, std::int64_t m,
                               std::int64_t n, std::int64_t k, ReductionAxis a, ReductionAxis b)
    : name_(std::move(name)),
      first_(types.b, b, n, k),
      second_(types.a, a, m, k),
      result_(types.result, n, m),
      operation_(types) {
  set(CUBLASLT_MATMUL_DESC_TRANSA, b == ReductionAxis::inner ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, a == ReductionAxis::inner ? CUBLAS_OP_N : CUBLAS_OP_T);
}

void CublasLtMatmul::set_scales(const MatmulScale& of_a, const MatmulScale& of_b) {
  set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, of_b.mode);
  set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, of_a.mode);
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_b.factors);
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_a.factors);
}

std::vector<cublasLtMatmulAlgo_t> CublasLtMatmul::algorithms(cublasLtHandle_t handle,
                                                             std::size_t workspace_bytes,
                                                             int most) const {
  const CublasLt& lt = cublaslt();
  cublasLtMatmulPreference_t preference = nullptr;
  cublaslt_check(lt.preference_create(&preference), "create cuBLASLt's GEMM preferences");
  const std::unique_ptr<void, cublasStatus_t (*)(void*)> owner(preference, [](void* p) {
    return cublaslt().preference_destroy(static_cast<cublasLtMatmulPreference_t>(p));
  });
  cublaslt_check(lt.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                   &workspace_bytes, sizeof workspace_bytes),
                 "set the workspace size for GEMMs");
  // Partial sums of a split reduction axis must not be rounded to the result's format.
  constexpr std::uint32_t kReduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublaslt_check(lt.preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                   &kReduction, sizeof kReduction),
                 "set the reduction scheme for GEMMs");
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
  int found = 0;
  const cublasStatus_t status =
      lt.heuristic(handle, operation_.handle, first_.handle, second_.handle, result_.handle,
                   result_.handle, preference, most, results.data(), &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  cublaslt_check(status, "find an algorithm for " + name_);
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  for (int i = 0; i < found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results[static_cast<std::size_t>(i)];
    if (result.state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(result.algo);
  }
  return algorithms;
}

cublasStatus_t CublasLtMatmul::run(cublasLtHandle_t handle, const cublasLtMatmulAlgo_t& algorithm,
                                   const MatmulBuffers& buffers, cudaStream_t stream) const {
  return cublaslt().matmul(handle, operation_.handle, buffers.alpha, buffers.b, first_.handle,
                           buffers.a, second_.handle, buffers.beta, buffers.c, result_.handle,
                           buffers.c, result_.handle, &algorithm, buffers.workspace,
                           buffers.workspace_bytes, stream);
}

}  // namespace mansard::kernels

#endif
