// SPDX-License-Identifier: Apache-2.0
// cuBLASLt, loaded when the first GEMM needs it: a machine without it still runs everything else.
// Only for files compiled where MANSARD_HAVE_CUDA and MANSARD_HAVE_CUBLASLT are 1.
#pragma once

#include <string>
#include <vector>

#include <cublasLt.h>

namespace mansard::kernels {

struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) algo_config;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtGetVersion) version;
};

// The first of `candidates` (names or paths) that loads. Throws std::runtime_error that names them
// all, with the loader's reasons.
CublasLt load_cublaslt(const std::vector<std::string>& candidates);

// The library of this build's CUDA, loaded at the first call. Throws like load_cublaslt().
const CublasLt& cublaslt();

// Why cublaslt() throws, in one line; empty when it does not. Looked up once.
const std::string& cublaslt_unavailable_reason();

// Throws std::runtime_error unless `status` is success.
void cublaslt_check(cublasStatus_t status, const std::string& attempted);

}  // namespace mansard::kernels
