// SPDX-License-Identifier: Apache-2.0
// One GEMM of a linear layer: C[m x n] = alpha * A * B^T, optionally added to C, with FP32
// accumulation and BF16 or quantized operands.
#pragma once

#include <cstdint>

#include "kernels/fp8/layout.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// Position of the reduction axis of an operand of `rows` x k elements: innermost (row-major rows x
// k), or outermost (row-major k x rows), as BF16 training reads an untransposed tensor.
enum class ReductionAxis { inner, outer };

// The elements that share a scale factor (value = code * factor), and the format of the factor.
enum class Scaling {
  none,
  tensor,       // all elements: one FP32
  block_1x128,  // FP32; both block formats use the layout of fp8::Blocks
  block_128x128,
  mx_1x32,  // E8M0; this and nv_1x16 use the tensor cores' tiles (ScaleLayout::tiled)
  nv_1x16,  // E4M3; alpha holds the factor of the whole tensor
};

// Bytes of the scale factors of a rows x k operand.
constexpr std::int64_t scale_bytes(Scaling scaling, Shape shape,
                                   ScaleLayout layout = ScaleLayout::tiled) {
  switch (scaling) {
    case Scaling::none:
      return 0;
    case Scaling::tensor:
      return sizeof(float);
    case Scaling::block_1x128:
      return fp8::scale_bytes_1x128(shape);
    case Scaling::block_128x128:
      return fp8::scale_bytes_128x128(shape);
    case Scaling::mx_1x32:
      return fp8::mx_scale_bytes(layout, shape);
    case Scaling::nv_1x16:
      return nvfp4::scale_bytes(shape, layout);
  }
  return 0;
}

// Requirements of tensor-core libraries for the reduction axis: rows of 16 bytes, and whole MX
// blocks.
constexpr std::int64_t reduction_multiple(Scaling scaling) {
  return scaling == Scaling::mx_1x32 || scaling == Scaling::nv_1x16 ? 32 : 16;
}

struct GemmOperand {
  const void* data = nullptr;
  ReductionAxis reduction = ReductionAxis::inner;
  Precision format = Precision::bf16;  // or fp8_e4m3, fp8_e5m2, nvfp4
  // Quantized operands only; their reduction axis is innermost.
  Scaling scaling = Scaling::none;
  const void* scales = nullptr;  // in the operand's memory, aligned to 16 bytes

  bool is_quantized() const { return scaling != Scaling::none; }
  std::int64_t bytes(Shape shape) const {
    const std::int64_t codes = format == Precision::nvfp4  ? nvfp4::code_bytes(shape)
                               : format == Precision::bf16 ? 2 * shape.elements()
                                                           : shape.elements();
    return codes + scale_bytes(scaling, shape);
  }
};

enum class GemmOutput { bf16, fp32 };

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  GemmOperand a, b;
  void* c = nullptr;  // row-major
  GemmOutput output = GemmOutput::bf16;
  const float* alpha = nullptr;  // in C's memory; nullptr: 1
  // FP8: accumulate in the tensor cores, which keep fewer bits (kFp8FractionBits).
  bool fast_accumulation = false;
  bool accumulate = false;  // add to what C holds

  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  // Traffic: each operand is read once, the result is written once, and is read first if
  // accumulated.
  double compulsory_bytes() const {
    const std::int64_t result = (output == GemmOutput::bf16 ? 2 : 4) * m * n;
    return static_cast<double>(a.bytes({m, k}) + b.bytes({n, k}) + (accumulate ? 2 : 1) * result);
  }
};

// The precision in which tensor cores execute the GEMM. E5M2 and E4M3 use the same instructions at
// the same rate.
constexpr Precision tensor_core_precision(const GemmProblem& p) {
  switch (p.a.scaling) {
    case Scaling::none:
      return Precision::bf16;
    case Scaling::mx_1x32:
      return Precision::mxfp8;
    case Scaling::nv_1x16:
      return Precision::nvfp4;
    default:
      return Precision::fp8_e4m3;
  }
}

}  // namespace mansard::kernels
