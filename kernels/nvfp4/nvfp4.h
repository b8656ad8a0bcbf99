// SPDX-License-Identifier: Apache-2.0
// NVFP4 on a CUDA device. All pointers are device pointers aligned to 16 bytes. Matrices are
// row-major without padding and may have any shape (see layout.h for the edges). Calls enqueue on
// `stream` and return without synchronizing or allocating, so that they can be captured in a graph.
// Results equal kernels/nvfp4/reference.h bit for bit on every architecture.
//
// Functions that take `const Bf16*` are tuned. Functions that take an Input also accept FP16, FP32
// and every Hadamard transform; they forward BF16 with Transform::none or Transform::rht to the
// tuned kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4 {

// Scratch for a reduction over thread blocks. Must be zero before its first use; every launch
// leaves it zero. Launches that may run concurrently need separate ones.
struct AmaxScratch {
  std::uint32_t largest[2] = {0, 0};
  std::uint32_t arrived = 0;
  std::uint32_t unused = 0;
};

// *out = largest magnitude of x; NaN if any element is NaN.
void amax(const Bf16* x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream);
void amax(Input x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream);

// Largest magnitudes of x and of RHT(x^T) from one reading of x.
void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht, AmaxScratch* scratch,
              cudaStream_t stream);
void amax_rht(Input x, Shape shape, const Hadamard& hadamard, float* out, float* out_rht,
              AmaxScratch* scratch, cudaStream_t stream);

// out[cols x rows] = RHT of x^T in runs of 16 along x's rows, rounded to BF16. If the rows end
// within a run, only the first of its results are stored.
void rht_transposed(const Bf16* x, Shape shape, Bf16* out, cudaStream_t stream);
void rht_transposed(Input x, Shape shape, const Hadamard& hadamard, Bf16* out, cudaStream_t stream);

// Options common to all quantizations, besides shape and scales.
struct Options {
  const RandomState* random = nullptr;  // device pointer; nullptr: nearest, ties to even
  ScaleLayout layout = ScaleLayout::linear;
};

// ++state->offset, so that the next launch uses new random numbers, also in a captured graph.
void next_random(RandomState* state, cudaStream_t stream);

// One scale per 1x16 of x.
void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                   const Options& options, cudaStream_t stream);
void quantize_1x16(Input x, Shape shape, const float* amax, Matrix out, const Options& options,
                   cudaStream_t stream);

// `out` holds x^T (cols x rows) in blocks of 16 along x's rows, transformed first if Transform::rht
// is set; `amax_t` is the amax of the (transformed) transpose.
void quantize_transposed(const Bf16* x, Shape shape, const float* amax_t, Transform transform,
                         Matrix out, const Options& options, cudaStream_t stream);
void quantize_transposed(Input x, Shape shape, const float* amax_t, const Hadamard& hadamard,
                         Matrix out, const Options& options, cudaStream_t stream);

// quantize_1x16() and quantize_transposed() with one reading of x.
void quantize_both(const Bf16* x, Shape shape, const float* amax, const float* amax_t,
                   Transform transform, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream);
void quantize_both(Input x, Shape shape, const float* amax, const float* amax_t,
                   const Hadamard& hadamard, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream);

// One scale per 16x16 tile of x: `out` holds x, `out_t` holds x^T, with the same scales.
void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream);
void quantize_16x16(Input x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream);

// code * block scale, exact in BF16; gemm_alpha() returns the remaining factor.
void dequantize(Matrix in, Shape shape, ScaleLayout layout, Bf16* out, cudaStream_t stream);

// *alpha = amax_a * amax_b / (36 * 448^2): the alpha of a GEMM of two dequantized operands.
void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha, cudaStream_t stream);

}  // namespace mansard::kernels::nvfp4
