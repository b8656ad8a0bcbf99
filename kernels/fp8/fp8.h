// SPDX-License-Identifier: Apache-2.0
// FP8 on a CUDA device. Every pointer is device memory, aligned to 16 bytes; kernels/fp8/layout.h
// says which shapes are allowed (any), what happens at ragged edges and how results lie in memory.
// Matrices with columns that are multiples of 8, and rows that are multiples of 16 where there is a
// transposed result, take the fast path. Calls enqueue on `stream` and return: they neither
// synchronize nor allocate. Results equal kernels/fp8/reference.h bit for bit on every
// architecture; NaN and scales of zero are treated as it says there.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8 {

// *out = the largest magnitude of x; NaN if any element is NaN.
void amax(const Bf16* x, Shape shape, float* out, cudaStream_t stream);

// --- one scale for the whole tensor ---

// What a cast scales with. Current scaling: `amax` is that of x; the cast makes the scale of it
// and leaves it in *scale for the GEMM. Delayed scaling: no `amax`; *scale is read.
struct ScaleSource {
  TensorScale* scale = nullptr;
  const float* amax = nullptr;
};

// The scale on its own, where no cast makes it.
void scale_from_amax(Format format, const float* amax, TensorScale* scale, cudaStream_t stream);

// Delayed scaling, once a step: pushes *amax to the front of history[length] (newest first; all
// zeros before the first step), forgets the oldest, makes the scale of the largest or the newest,
// and sets *amax to zero for the next casts to raise.
void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale, cudaStream_t stream);

// `raised_amax`, where given, is raised to the largest magnitude of x in the same reading.
void cast(Format format, const Bf16* x, Shape shape, ScaleSource source, std::uint8_t* out,
          float* raised_amax, cudaStream_t stream);

// The same, with x^T (cols x rows) too.
void cast_transpose(Format format, const Bf16* x, Shape shape, ScaleSource source,
                    std::uint8_t* out, std::uint8_t* out_t, float* raised_amax,
                    cudaStream_t stream);

// --- block scales; `out` is of x, `out_t` of x^T, from one reading ---

// One FP32 scale for each 1x128 of x, and for each 1x128 of x^T.
void quantize_1x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                    Blocks out_t, cudaStream_t stream);

// One FP32 scale for each 128x128, shared by both directions.
void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t, cudaStream_t stream);

// MXFP8: one E8M0 scale for each 1x32 of x, and for each 1x32 of x^T.
void quantize_mxfp8(Format format, ScaleLayout layout, const Bf16* x, Shape shape, MxBlocks out,
                    MxBlocks out_t, cudaStream_t stream);

// --- back to BF16; a transposed result is passed with its own shape (cols x rows) ---

// The codes' values, exact. A tensor's scale is left to the GEMM (alpha = inverse_a * inverse_b).
void decode(Format format, const std::uint8_t* codes, Shape shape, Bf16* out, cudaStream_t stream);

// Value * scale, rounded once to BF16: exact (but for BF16's range) where scales are powers of two.
// Others cost half an ulp; who cannot spare that takes decode() and scales the GEMM's partial sums.
void dequantize_1x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream);
void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream);
void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out,
                      cudaStream_t stream);

}  // namespace mansard::kernels::fp8
