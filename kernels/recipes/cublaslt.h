// SPDX-License-Identifier: Apache-2.0
// cuBLASLt, loaded when the first GEMM needs it, so that everything else works without it. Include
// only in files that are compiled with MANSARD_HAVE_CUDA and MANSARD_HAVE_CUBLASLT == 1.
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

// Loads the first of `candidates` (names or paths) that loads. Throws std::runtime_error with all
// candidates and the loader's reasons.
CublasLt load_cublaslt(const std::vector<std::string>& candidates);

// The cuBLASLt of this build's CUDA version, loaded at the first call. Throws like load_cublaslt().
const CublasLt& cublaslt();

// The reason why cublaslt() throws, in one line; empty if it does not. Determined once.
const std::string& cublaslt_unavailable_reason();

// Throws std::runtime_error unless `status` is success.
void cublaslt_check(cublasStatus_t status, const std::string& attempted);

}  // namespace mansard::kernels
