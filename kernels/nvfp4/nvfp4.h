// SPDX-License-Identifier: Apache-2.0
// NVFP4 on a CUDA device. Every pointer is device memory, aligned to 16 bytes; every matrix is
// row-major without padding and has rows and columns that are multiples of 16, else
// std::invalid_argument. Calls enqueue on `stream` and return: they neither synchronise nor
// allocate. Results equal kernels/nvfp4/reference.h bit for bit on every architecture.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/nvfp4/bf16.h"
#include "kernels/nvfp4/shape.h"

namespace mansard::nvfp4 {

// *out = the largest magnitude of x; NaN if any element is NaN.
void amax(const Bf16* x, Shape shape, float* out, cudaStream_t stream);

// The same for x and for RHT(x^T) in one reading of x.
void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht, cudaStream_t stream);

// out[cols x rows] = RHT of x^T in blocks of 16 along x's rows, rounded to BF16.
void rht_transposed(const Bf16* x, Shape shape, Bf16* out, cudaStream_t stream);

// One scale for each 1x16 of x.
void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out, cudaStream_t stream);

// One scale for each 16x16 tile of x: `out` is of x, `out_t` of x^T, with the same scales.
void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    cudaStream_t stream);

// `out` is of x^T (cols x rows): blocks of 16 along x's rows, transformed first with
// Transform::rht; `amax` is that of the (transformed) transpose.
void quantize_transposed(const Bf16* x, Shape shape, const float* amax, Transform transform,
                         Matrix out, cudaStream_t stream);

// code * block scale, exact in BF16; gemm_alpha() holds the rest of the scaling.
void dequantize(Matrix in, Shape shape, Bf16* out, cudaStream_t stream);

// *alpha = amax_a * amax_b / (36 * 448^2): what a GEMM of two dequantised operands multiplies by.
void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha, cudaStream_t stream);

}  // namespace mansard::nvfp4
