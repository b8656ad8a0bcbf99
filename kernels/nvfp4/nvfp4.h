// SPDX-License-Identifier: Apache-2.0
// NVFP4 on a CUDA device. Every pointer is device memory, aligned to 16 bytes; matrices are
// row-major without padding, of any shape (see shape.h for what happens at the edges). Calls
// enqueue on `stream` and return: they neither synchronize nor allocate, so that they can be
// captured in a graph. Results equal kernels/nvfp4/reference.h bit for bit on every architecture.
//
// What takes `const Bf16*` is tuned. What takes an Input takes FP16 and FP32 too, and every
// Hadamard transform; BF16 with Transform::none or Transform::rht it hands on to the tuned kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/nvfp4/hadamard.h"
#include "kernels/nvfp4/input.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4 {

// Where the blocks of a reduction meet. Zero before its first use; every launch leaves it zero.
// Launches that may run at the same time need one each.
struct AmaxScratch {
  std::uint32_t largest[2] = {0, 0};
  std::uint32_t arrived = 0;
  std::uint32_t unused = 0;
};

// *out = the largest magnitude of x; NaN if any element is NaN.
void amax(const Bf16* x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream);
void amax(Input x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream);

// The same for x and for RHT(x^T) in one reading of x.
void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht, AmaxScratch* scratch,
              cudaStream_t stream);
void amax_rht(Input x, Shape shape, const Hadamard& hadamard, float* out, float* out_rht,
              AmaxScratch* scratch, cudaStream_t stream);

// out[cols x rows] = RHT of x^T in runs of 16 along x's rows, rounded to BF16; where the rows end
// within a run, of its results the first ones are stored.
void rht_transposed(const Bf16* x, Shape shape, Bf16* out, cudaStream_t stream);
void rht_transposed(Input x, Shape shape, const Hadamard& hadamard, Bf16* out, cudaStream_t stream);

// What the quantizations share beside shape and scales.
struct Options {
  const RandomState* random = nullptr;  // on the device; nullptr: nearest, ties to even
  ScaleLayout layout = ScaleLayout::linear;
};

// ++state->offset: other random numbers from the next launch on, in a captured graph too.
void next_random(RandomState* state, cudaStream_t stream);

// One scale for each 1x16 of x.
void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                   const Options& options, cudaStream_t stream);
void quantize_1x16(Input x, Shape shape, const float* amax, Matrix out, const Options& options,
                   cudaStream_t stream);

// `out` is of x^T (cols x rows): blocks of 16 along x's rows, transformed first with
// Transform::rht; `amax_t` is that of the (transformed) transpose.
void quantize_transposed(const Bf16* x, Shape shape, const float* amax_t, Transform transform,
                         Matrix out, const Options& options, cudaStream_t stream);
void quantize_transposed(Input x, Shape shape, const float* amax_t, const Hadamard& hadamard,
                         Matrix out, const Options& options, cudaStream_t stream);

// quantize_1x16() and quantize_transposed() in one reading of x.
void quantize_both(const Bf16* x, Shape shape, const float* amax, const float* amax_t,
                   Transform transform, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream);
void quantize_both(Input x, Shape shape, const float* amax, const float* amax_t,
                   const Hadamard& hadamard, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream);

// One scale for each 16x16 tile of x: `out` is of x, `out_t` of x^T, with the same scales.
void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream);
void quantize_16x16(Input x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream);

// code * block scale, exact in BF16; gemm_alpha() holds the rest of the scaling.
void dequantize(Matrix in, Shape shape, ScaleLayout layout, Bf16* out, cudaStream_t stream);

// *alpha = amax_a * amax_b / (36 * 448^2): what a GEMM of two dequantized operands multiplies by.
void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha, cudaStream_t stream);

}  // namespace mansard::kernels::nvfp4
