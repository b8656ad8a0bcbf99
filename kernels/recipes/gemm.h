// SPDX-License-Identifier: Apache-2.0
// One matrix product of a linear layer: C[m x n] = alpha * A * B^T, or that added to C, accumulated
// in FP32, of BF16 operands or of quantized ones.
#pragma once

#include <cstdint>

#include "kernels/fp8/layout.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// The reduction axis of an operand of `rows` x k elements: innermost in memory (row-major rows x
// k), or outermost (row-major k x rows), which is how BF16 training reads an untransposed tensor.
enum class ReductionAxis { inner, outer };

// Which elements of an operand share a scale factor (value = code * factor), and its format.
enum class Scaling {
  none,
  tensor,       // all of them: one FP32
  block_1x128,  // FP32; both of these lie as fp8::Blocks says
  block_128x128,
  mx_1x32,  // E8M0; both of these lie in the tensor cores' tiles (ScaleLayout::tiled)
  nv_1x16,  // E4M3; the factor of the whole tensor is left to alpha
};

// Bytes of the factors of a rows x k operand.
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

// What tensor cores' libraries want of the reduction axis: rows of 16 bytes, and whole MX blocks.
constexpr std::int64_t reduction_multiple(Scaling scaling) {
  return scaling == Scaling::mx_1x32 || scaling == Scaling::nv_1x16 ? 32 : 16;
}

struct GemmOperand {
  const void* data = nullptr;
  ReductionAxis reduction = ReductionAxis::inner;
  Precision format = Precision::bf16;  // or fp8_e4m3, fp8_e5m2, nvfp4
  // Of a quantized operand, whose reduction axis is innermost.
  Scaling scaling = Scaling::none;
  const void* scales = nullptr;  // where the operand is, aligned to 16 bytes

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
  const float* alpha = nullptr;  // where C is; nullptr: 1
  // FP8: let sums stay in the tensor cores, where they lose bits (kFp8FractionBits).
  bool fast_accumulation = false;
  bool accumulate = false;  // add to what C holds

  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  // Each operand read once and the result written once, and read before where it is added to.
  double compulsory_bytes() const {
    const std::int64_t result = (output == GemmOutput::bf16 ? 2 : 4) * m * n;
    return static_cast<double>(a.bytes({m, k}) + b.bytes({n, k}) + (accumulate ? 2 : 1) * result);
  }
};

// What tensor cores execute the product in. E5M2 and E4M3 go through the same instructions at the
// same rate.
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
