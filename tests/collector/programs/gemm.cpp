// SPDX-License-Identifier: Apache-2.0
// usage: collector_program_gemm linked|looked_up
// Calls GEMMs of the fake cuBLAS, and prints what reached it.
#include <cstdio>
#include <dlfcn.h>
#include <string_view>

#include "tests/collector/programs/fake_cublas.h"

namespace {

const float kOne = 1;
const float kZero = 0;

int call_linked() {
  cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_T, 64, 32, 16, &kOne, nullptr, 64, nullptr, 32, &kOne,
              nullptr, 64);
  cublasGemmEx(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 128, 256, 512, &kOne, nullptr, CUDA_R_16BF, 128,
               nullptr, CUDA_R_16BF, 512, &kZero, nullptr, CUDA_R_16BF, 128, CUBLAS_COMPUTE_32F,
               CUBLAS_GEMM_DEFAULT);
  // A handle whose scalars are in device memory: an invalid address here.
  auto* device_scalars = reinterpret_cast<cublasHandle_t>(8);
  const void* invalid = reinterpret_cast<const void*>(16);
  return cublasGemmStridedBatchedEx(device_scalars, CUBLAS_OP_T, CUBLAS_OP_N, 8, 4, 2, invalid,
                                    nullptr, CUDA_R_16F, 8, 0, nullptr, CUDA_R_16F, 8, 0, invalid,
                                    nullptr, CUDA_R_32F, 8, 0, 10, CUBLAS_COMPUTE_32F,
                                    CUBLAS_GEMM_DEFAULT);
}

int call_looked_up() {
  void* library = dlopen("libcublasLt.so.99", RTLD_NOW);
  auto* matmul = reinterpret_cast<decltype(cublasLtMatmul)*>(dlsym(library, "cublasLtMatmul"));
  if (matmul == nullptr || dlsym(library, "cublasNoSuchFunction") != nullptr) return -1;
  auto a = fake_layout(CUDA_R_8F_E4M3, 512, 128, 3);
  auto b = fake_layout(CUDA_R_8F_E5M2, 512, 256, 3);
  auto d = fake_layout(CUDA_R_16BF, 128, 256, 3);
  auto scaled = fake_matmul(CUBLAS_OP_T, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
  auto blocks = fake_matmul(CUBLAS_OP_T, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
  for (auto* descriptor : {&scaled, &blocks}) {
    matmul(nullptr, descriptor, &kOne, nullptr, &a, nullptr, &b, &kZero, nullptr, &d, nullptr, &d,
           nullptr, nullptr, 0, nullptr);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool linked = argc > 1 && std::string_view(argv[1]) == "linked";
  const int status = linked ? call_linked() : call_looked_up();
  auto* hooked = static_cast<int*>(dlsym(RTLD_DEFAULT, "hooked_lookups"));
  std::printf("%d %d %d %d %d\n", status, fake_cublas_calls(), fake_cublaslt_calls(),
              fake_next_answer(), hooked != nullptr && *hooked > 0 ? 1 : 0);
}
