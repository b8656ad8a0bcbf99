// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace mansard::kernels {

// *alpha = product of the inverse scales of two tensors, for a GEMM of decoded FP8 operands. All
// pointers are on the device; enqueued on `stream`.
void fp8_gemm_alpha(const float* inverse_a, const float* inverse_b, float* alpha,
                    cudaStream_t stream);

}  // namespace mansard::kernels
