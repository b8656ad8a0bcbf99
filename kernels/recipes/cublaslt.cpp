// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt.h"

#include <dlfcn.h>
#include <stdexcept>
#include <vector>

namespace mansard::kernels {
namespace {

void* open_library(const std::vector<std::string>& candidates) {
  std::string reasons;
  for (const std::string& candidate : candidates) {
    if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += std::string(reasons.empty() ? "" : "; ") + dlerror();
  }
  throw std::runtime_error(
      "cannot load cuBLASLt: " + reasons + ". Install the cuBLAS runtime of CUDA " +
      std::to_string(CUBLAS_VER_MAJOR) + " or add its folder to LD_LIBRARY_PATH");
}

template <typename Function>
void load(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) {
    throw std::runtime_error(std::string("cuBLASLt has no function ") + symbol +
                             "; its version does not match this build of Mansard");
  }
}

std::vector<std::string> candidates_of_this_build() {
  const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  // First the loader's search path (LD_LIBRARY_PATH, ldconfig), then the toolkit of this build.
  return {name, MANSARD_CUDA_LIBRARY_FOLDER "/" + name};
}

}  // namespace

CublasLt load_cublaslt(const std::vector<std::string>& candidates) {
  void* library = open_library(candidates);
  CublasLt lt{};
  load(library, "cublasLtCreate", lt.create);
  load(library, "cublasLtDestroy", lt.destroy);
  load(library, "cublasLtMatmul", lt.matmul);
  load(library, "cublasLtMatmulAlgoGetHeuristic", lt.heuristic);
  load(library, "cublasLtMatmulAlgoConfigGetAttribute", lt.algo_config);
  load(library, "cublasLtMatmulDescCreate", lt.desc_create);
  load(library, "cublasLtMatmulDescDestroy", lt.desc_destroy);
  load(library, "cublasLtMatmulDescSetAttribute", lt.desc_set);
  load(library, "cublasLtMatrixLayoutCreate", lt.layout_create);
  load(library, "cublasLtMatrixLayoutDestroy", lt.layout_destroy);
  load(library, "cublasLtMatmulPreferenceCreate", lt.preference_create);
  load(library, "cublasLtMatmulPreferenceDestroy", lt.preference_destroy);
  load(library, "cublasLtMatmulPreferenceSetAttribute", lt.preference_set);
  load(library, "cublasLtGetStatusString", lt.status_string);
  load(library, "cublasLtGetVersion", lt.version);
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
