// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt.h"

#include <stdexcept>
#include <vector>

#include "kernels/device/shared_library.h"

namespace mansard::kernels {
namespace {

std::vector<std::string> candidates_of_this_build() {
  const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  // First the loader's search path (LD_LIBRARY_PATH, ldconfig), then the toolkit of this build.
  return {name, MANSARD_CUDA_LIBRARY_FOLDER "/" + name};
}

}  // namespace

CublasLt load_cublaslt(const std::vector<std::string>& candidates) {
  const SharedLibrary library(
      "cuBLASLt", "the cuBLAS runtime of CUDA " + std::to_string(CUBLAS_VER_MAJOR), candidates);
  CublasLt lt{};
  library.load("cublasLtCreate", lt.create);
  library.load("cublasLtDestroy", lt.destroy);
  library.load("cublasLtMatmul", lt.matmul);
  library.load("cublasLtMatmulAlgoGetHeuristic", lt.heuristic);
  library.load("cublasLtMatmulAlgoConfigGetAttribute", lt.algo_config);
  library.load("cublasLtMatmulDescCreate", lt.desc_create);
  library.load("cublasLtMatmulDescDestroy", lt.desc_destroy);
  library.load("cublasLtMatmulDescSetAttribute", lt.desc_set);
  library.load("cublasLtMatrixLayoutCreate", lt.layout_create);
  library.load("cublasLtMatrixLayoutDestroy", lt.layout_destroy);
  library.load("cublasLtMatmulPreferenceCreate", lt.preference_create);
  library.load("cublasLtMatmulPreferenceDestroy", lt.preference_destroy);
  library.load("cublasLtMatmulPreferenceSetAttribute", lt.preference_set);
  library.load("cublasLtGetStatusString", lt.status_string);
  library.load("cublasLtGetVersion", lt.version);
  return lt;
}

const CublasLt& cublaslt() {
  static const CublasLt lt = load_cublaslt(candidates_of_this_build());
  return lt;
}

const std::string& cublaslt_unavailable_reason() {
  static const std::string reason = []() -> std::string {
    try {
      cublaslt();
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }();
  return reason;
}

void cublaslt_check(cublasStatus_t status, const std::string& attempted) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error("cannot " + attempted + ": cuBLASLt reports " +
                           cublaslt().status_string(status));
}

}  // namespace mansard::kernels

#endif
