// SPDX-License-Identifier: Apache-2.0
// FP8 on a CUDA device. All pointers are device pointers aligned to 16 bytes. kernels/fp8/layout.h
// defines the shapes (any), the treatment of ragged edges and the layout of results. The fast path
// needs columns that are multiples of 8 and, for a transposed result, rows that are multiples of
// 16. Calls enqueue on `stream` and return without synchronizing or allocating. Results, including
// those for NaN and zero scales, equal kernels/fp8/reference.h bit for bit on every architecture.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8 {

// *out = largest magnitude of x; NaN if any element is NaN.
void amax(const Bf16* x, Shape shape, float* out, cudaStream_t stream);

// --- one scale per tensor ---

// The scale of a cast. Current scaling: `amax` is the amax of x; the cast computes the scale and
// stores it in *scale for the GEMM. Delayed scaling: `amax` is nullptr and *scale is read.
struct ScaleSource {
  TensorScale* scale = nullptr;
  const float* amax = nullptr;
};

// Computes the scale without a cast.
void scale_from_amax(Format format, const float* amax, TensorScale* scale, cudaStream_t stream);

// Delayed scaling, once per step: pushes *amax to the front of history[length] (newest first; all
// zeros before the first step), drops the oldest entry, computes the scale from the largest or the
// newest entry, and resets *amax to zero for the next casts to raise.
void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale, cudaStream_t stream);

// `raised_amax`, if set, is raised to the largest magnitude of x with the same reading.
void cast(Format format, const Bf16* x, Shape shape, ScaleSource source, std::uint8_t* out,
          float* raised_amax, cudaStream_t stream);

// Also writes x^T (cols x rows).
void cast_transpose(Format format, const Bf16* x, Shape shape, ScaleSource source,
                    std::uint8_t* out, std::uint8_t* out_t, float* raised_amax,
                    cudaStream_t stream);

// --- block scales; `out` holds x, `out_t` holds x^T, from one reading ---

// One FP32 scale per 1x128 of x, and per 1x128 of x^T.
void quantize_1x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                    Blocks out_t, cudaStream_t stream);

// One FP32 scale per 128x128, shared by both directions.
void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t, cudaStream_t stream);

// MXFP8: one E8M0 scale per 1x32 of x, and per 1x32 of x^T.
void quantize_mxfp8(Format format, ScaleLayout layout, const Bf16* x, Shape shape, MxBlocks out,
                    MxBlocks out_t, cudaStream_t stream);

// --- back to BF16; a transposed result is passed with its own shape (cols x rows) ---

// Exact values of the codes. The tensor scale is left to the GEMM (alpha = inverse_a * inverse_b).
void decode(Format format, const std::uint8_t* codes, Shape shape, Bf16* out, cudaStream_t stream);

// Value * scale, rounded once to BF16. Exact (within BF16's range) if scales are powers of two;
// otherwise the error is up to half an ulp. To avoid it, use decode() and scale the GEMM's partial
// sums.
void dequantize_1x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream);
void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream);
void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out,
                      cudaStream_t stream);

}  // namespace mansard::kernels::fp8
