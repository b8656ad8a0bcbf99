// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/collector/programs/fake_cublas.h"

namespace {

int calls = 0;

cublasStatus_t copy_out(std::uint64_t value, void* buffer, std::size_t bytes,
                        std::size_t* written) {
  std::memcpy(buffer, &value, bytes);  // little endian
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

int fake_cublaslt_calls() { return calls; }

int fake_answer() { return 2; }

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* buffer, std::size_t bytes,
                                                std::size_t* written) {
  return copy_out(layout->data[attribute], buffer, bytes, written);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t matmul,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              void* buffer, std::size_t bytes,
                                              std::size_t* written) {
  return copy_out(matmul->data[attribute], buffer, bytes, written);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t,
                              const void*, const void*, cublasLtMatrixLayout_t, void*,
                              cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*,
                              std::size_t, cudaStream_t) {
  ++calls;
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
