// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt.h"

#include <dlfcn.h>
#include <stdexcept>
#include <vector>

namespace mansard {
namespace {

void* open_library() {
  const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  // The loader's own search first (LD_LIBRARY_PATH, ldconfig), then the toolkit of this build.
  const std::vector<std::string> candidates = {name, MANSARD_CUDA_LIBRARY_FOLDER "/" + name};
  std::string reasons;
  for (const std::string& candidate : candidates) {
    if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += std::string("\n  ") + dlerror();
  }
  throw std::runtime_error("cannot load cuBLASLt, which the GEMMs of the recipes need:" + reasons +
                           "\nInstall the cuBLAS runtime of CUDA " +
                           std::to_string(CUBLAS_VER_MAJOR) +
                           " or add its folder to LD_LIBRARY_PATH; --device cpu works without.");
}

template <typename Function>
void load(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) {
    throw std::runtime_error(std::string("cuBLASLt has no function ") + symbol +
                             "; its version does not fit this build of Mansard");
  }
}

CublasLt load_all() {
  void* library = open_library();
  CublasLt lt{};
  load(library, "cublasLtCreate", lt.create);
  load(library, "cublasLtDestroy", lt.destroy);
  load(library, "cublasLtMatmul", lt.matmul);
  load(library, "cublasLtMatmulAlgoGetHeuristic", lt.heuristic);
  load(library, "cublasLtMatmulDescCreate", lt.desc_create);
  load(library, "cublasLtMatmulDescDestroy", lt.desc_destroy);
  load(library, "cublasLtMatmulDescSetAttribute", lt.desc_set);
  load(library, "cublasLtMatrixLayoutCreate", lt.layout_create);
  load(library, "cublasLtMatrixLayoutDestroy", lt.layout_destroy);
  load(library, "cublasLtMatmulPreferenceCreate", lt.preference_create);
  load(library, "cublasLtMatmulPreferenceDestroy", lt.preference_destroy);
  load(library, "cublasLtMatmulPreferenceSetAttribute", lt.preference_set);
  load(library, "cublasLtGetStatusString", lt.status_string);
  return lt;
}

}  // namespace

const CublasLt& cublaslt() {
  static const CublasLt lt = load_all();
  return lt;
}

void cublaslt_check(cublasStatus_t status, const std::string& attempted) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error("cannot " + attempted + ": cuBLASLt says " +
                           cublaslt().status_string(status));
}

}  // namespace mansard

#endif
