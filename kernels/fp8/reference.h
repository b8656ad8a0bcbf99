// SPDX-License-Identifier: Apache-2.0
// FP8 on the host: the definition that every CUDA kernel must reproduce bit for bit, and the CPU
// implementation of the recipes. FP32 arithmetic step by step as in NVIDIA Transformer Engine's
// current, delayed, block and MXFP8 scaling; no step may be fused or reassociated (see the compile
// options in kernels/CMakeLists.txt). kernels/fp8/fp8.h describes the arguments.
//
// NaN: a NaN in the input makes its amax NaN, thus the scale NaN, and thus every code with that
// scale (0x7f), so that it cannot disappear: the whole tensor's codes, or the block's. MXFP8's
// scale is 0xff. Infinity saturates: a block or tensor with an infinity has scale 1 (MXFP8: 2^127).
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8::reference {

float amax(const Bf16* x, Shape shape);

// scale = largest FP8 value / amax, in FP32; 1 if amax is 0 or infinite; FLT_MAX if the quotient is
// infinite.
TensorScale tensor_scale(Format format, float amax);

// As tensor_scale(), for a block. ScaleRounding::power_of_two cuts off the mantissa (rounds down,
// so that nothing saturates).
TensorScale block_scale(Format format, ScaleRounding rounding, float amax);

// E8M0 of amax * (1 / largest FP8 value), rounded up to a power of two.
std::uint8_t mx_scale(Format format, float amax);

void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale);

// codes = FP8(x * scale), nearest-even.
void cast(Format format, const Bf16* x, Shape shape, float scale, std::uint8_t* out,
          float* raised_amax);
void cast_transpose(Format format, const Bf16* x, Shape shape, float scale, std::uint8_t* out,
                    std::uint8_t* out_t, float* raised_amax);

void quantize_1x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                    Blocks out_t);
void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t);
void quantize_mxfp8(Format format, ScaleLayout layout, const Bf16* x, Shape shape, MxBlocks out,
                    MxBlocks out_t);

void decode(Format format, const std::uint8_t* codes, Shape shape, Bf16* out);
void dequantize_1x128(Format format, Blocks in, Shape shape, Bf16* out);
void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out);
void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out);

}  // namespace mansard::kernels::fp8::reference
