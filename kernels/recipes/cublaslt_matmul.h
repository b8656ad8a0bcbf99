// SPDX-License-Identifier: Apache-2.0
// One GEMM in cuBLASLt's terms: row-major C[m x n] = alpha * A * B^T, in any format that the
// library supports. Include only in files that are compiled with MANSARD_HAVE_CUBLASLT == 1.
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/recipes/cublaslt.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

struct MatmulTypes {
  cudaDataType_t a = CUDA_R_16BF;
  cudaDataType_t b = CUDA_R_16BF;
  cudaDataType_t result = CUDA_R_16BF;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scalar = CUDA_R_32F;  // format of alpha and beta
};

class CublasLtHandle {
 public:
  CublasLtHandle() { cublaslt_check(cublaslt().create(&handle_), "start cuBLASLt"); }
  ~CublasLtHandle() { cublaslt().destroy(handle_); }
  CublasLtHandle(const CublasLtHandle&) = delete;
  CublasLtHandle& operator=(const CublasLtHandle&) = delete;
  cublasLtHandle_t get() const { return handle_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
};

// Operands and results of a GEMM. alpha and beta are host pointers unless the pointer mode says
// otherwise.
struct MatmulBuffers {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* alpha = nullptr;
  const void* beta = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

// Scale factors of an operand, on the device.
struct MatmulScale {
  cublasLtMatmulMatrixScale_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  const void* factors = nullptr;
};

class CublasLtMatmul {
 public:
  // `name` is used in messages: "a BF16 GEMM of 4096x4096x4096".
  CublasLtMatmul(std::string name, const MatmulTypes& types, std::int64_t m, std::int64_t n,
                 std::int64_t k, ReductionAxis a, ReductionAxis b);

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    cublaslt_check(cublaslt().desc_set(operation_.handle, attribute, &value, sizeof value),
                   "set an attribute of " + name_);
  }

  // Uses A and B in the sense of this class.
  void set_scales(const MatmulScale& of_a, const MatmulScale& of_b);

  // Up to `most` algorithms in cuBLASLt's order, expected fastest first; empty if there are none.
  std::vector<cublasLtMatmulAlgo_t> algorithms(cublasLtHandle_t handle, std::size_t workspace_bytes,
                                               int most) const;

  // Enqueues the GEMM. cuBLASLt may still reject an algorithm of algorithms() here.
  cublasStatus_t run(cublasLtHandle_t handle, const cublasLtMatmulAlgo_t& algorithm,
                     const MatmulBuffers& buffers, cudaStream_t stream) const;

  const std::string& name() const { return name_; }

 private:
  struct Layout {
    Layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols);
    Layout(cudaDataType_t type, ReductionAxis reduction, std::int64_t rows, std::int64_t k);
    ~Layout();
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    cublasLtMatrixLayout_t handle = nullptr;
  };

  struct Operation {
    explicit Operation(const MatmulTypes& types);
    ~Operation();
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    cublasLtMatmulDesc_t handle = nullptr;
  };

  std::string name_;
  Layout first_, second_, result_;
  Operation operation_;
};

}  // namespace mansard::kernels
