// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/fp8_gemm_alpha.h"

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {
namespace {

__global__ void fp8_gemm_alpha_kernel(const float* inverse_a, const float* inverse_b,
                                      float* alpha) {
  *alpha = __fmul_rn(*inverse_a, *inverse_b);
}

}  // namespace

void fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha,
                    cudaStream_t stream) {
  fp8_gemm_alpha_kernel<<<1, 1, 0, stream>>>(inverse_a, inverse_b, alpha);
  cuda_check(cudaGetLastError(), "launch the factor of an FP8 GEMM");
}

}  // namespace mansard::kernels
