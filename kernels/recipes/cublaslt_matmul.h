// SPDX-License-Identifier: Apache-2.0
// One matrix product as cuBLASLt takes it: row-major C[m x n] = alpha * A * B^T, of any format the
// library multiplies. Only for files compiled where MANSARD_HAVE_CUBLASLT is 1.
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
  cudaDataType_t scalar = CUDA_R_32F;  // of alpha and beta
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

// What a product reads and writes. alpha and beta are on the host unless the pointer mode is set
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

// An operand's scale factors on the device.
struct MatmulScale {
  cublasLtMatmulMatrixScale_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  const void* factors = nullptr;
};

class CublasLtMatmul {
 public:
  // `name` is for messages: "a BF16 GEMM of 4096x4096x4096".
  CublasLtMatmul(std::string name, const MatmulTypes& types, std::int64_t m, std::int64_t n,
                 std::int64_t k, ReductionAxis a, ReductionAxis b);

  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    cublaslt_check(cublaslt().desc_set(operation_.handle, attribute, &value, sizeof value),
                   "set an attribute of " + name_);
  }

  // Of A and B as this class has them.
  void set_scales(const MatmulScale& of_a, const MatmulScale& of_b);

  // Up to `most` algorithms, those first that cuBLASLt thinks fastest; empty when it has none.
  std::vector<cublasLtMatmulAlgo_t> algorithms(cublasLtHandle_t handle, std::size_t workspace_bytes,
                                               int most) const;

  // Enqueues the product. An algorithm of algorithms() may still be refused here.
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
