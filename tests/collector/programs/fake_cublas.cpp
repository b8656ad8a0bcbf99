// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/programs/fake_cublas.h"

#include <dlfcn.h>

namespace {
int calls = 0;
}

extern "C" {

int fake_cublas_calls() { return calls; }

int fake_answer() { return 1; }

int fake_next_answer() {
  auto* next = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "fake_answer"));
  return next != nullptr ? next() : 0;
}

// The handle is the pointer mode.
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = handle == nullptr ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const float*, const float*, int, const float*, int, const float*,
                              float*, int) {
  ++calls;
  return CUBLAS_STATUS_SUCCESS;
}

// As in the real library, which calls cuBLASLt through its public entry point.
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType type_a, int,
                            const void* b, cudaDataType type_b, int, const void* beta, void* c,
                            cudaDataType type_c, int, cublasComputeType_t, cublasGemmAlgo_t) {
  ++calls;
  auto layout_a = fake_layout(type_a, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(k));
  auto layout_b = fake_layout(type_b, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n));
  auto layout_c = fake_layout(type_c, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n));
  auto matmul = fake_matmul(op_a, 0);
  return cublasLtMatmul(nullptr, &matmul, alpha, a, &layout_a, b, &layout_b, beta, c, &layout_c, c,
                        &layout_c, nullptr, nullptr, 0, nullptr);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                          int, int, const void*, const void*, cudaDataType, int,
                                          long long, const void*, cudaDataType, int, long long,
                                          const void*, void*, cudaDataType, int, long long, int,
                                          cublasComputeType_t, cublasGemmAlgo_t) {
  ++calls;
  return CUBLAS_STATUS_EXECUTION_FAILED;  // the caller must get it
}

}  // extern "C"
