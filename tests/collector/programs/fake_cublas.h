// SPDX-License-Identifier: Apache-2.0
// Libraries with the names of cuBLAS and cuBLASLt that count calls and compute nothing.
#pragma once

#include <cstdint>

#include <cublasLt.h>
#include <cublas_v2.h>

// Descriptors of the fake cuBLASLt, in the header's opaque types.
inline cublasLtMatrixLayoutOpaque_t fake_layout(cudaDataType type, std::uint64_t rows,
                                                std::uint64_t columns, std::uint64_t batch = 1) {
  cublasLtMatrixLayoutOpaque_t layout{};
  layout.data[CUBLASLT_MATRIX_LAYOUT_TYPE] = static_cast<std::uint64_t>(type);
  layout.data[CUBLASLT_MATRIX_LAYOUT_ROWS] = rows;
  layout.data[CUBLASLT_MATRIX_LAYOUT_COLS] = columns;
  layout.data[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT] = batch;
  return layout;
}

inline cublasLtMatmulDescOpaque_t fake_matmul(cublasOperation_t op_a, int a_scale_mode) {
  cublasLtMatmulDescOpaque_t matmul{};
  matmul.data[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = CUBLAS_COMPUTE_32F;
  matmul.data[CUBLASLT_MATMUL_DESC_POINTER_MODE] = CUBLASLT_POINTER_MODE_HOST;
  matmul.data[CUBLASLT_MATMUL_DESC_TRANSA] = static_cast<std::uint64_t>(op_a);
  matmul.data[CUBLASLT_MATMUL_DESC_A_SCALE_MODE] = static_cast<std::uint64_t>(a_scale_mode);
  return matmul;
}

extern "C" {
int fake_cublas_calls();    // GEMMs that reached libcublas
int fake_cublaslt_calls();  // likewise, libcublasLt
// The answer that dlsym(RTLD_NEXT, "fake_answer") finds from libcublas: 2, that of libcublasLt.
int fake_next_answer();
}
