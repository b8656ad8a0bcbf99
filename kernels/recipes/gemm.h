// SPDX-License-Identifier: Apache-2.0
// One matrix product of a linear layer: C[m x n] = alpha * A * B^T of BF16 or FP8 operands, FP32
// accumulation.
#pragma once

#include <cstdint>

#include "kernels/vocabulary/precision.h"

namespace mansard {

// The reduction axis of an operand of `rows` x k elements: innermost in memory (row-major rows x
// k), or outermost (row-major k x rows), which is how BF16 training reads an untransposed tensor.
enum class ReductionAxis { inner, outer };

struct GemmOperand {
  const void* data = nullptr;
  ReductionAxis reduction = ReductionAxis::inner;
  Precision format = Precision::bf16;  // or an FP8 format
  // Of an FP8 operand, where it is, aligned to 16 bytes: value = code * scale.
  const float* scale = nullptr;

  bool is_fp8() const { return format == Precision::fp8_e4m3 || format == Precision::fp8_e5m2; }
  double bytes_per_element() const { return mansard::bytes_per_element(format); }
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

  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  // Each operand read once and the result written once.
  double compulsory_bytes() const {
    const auto dm = static_cast<double>(m), dn = static_cast<double>(n),
               dk = static_cast<double>(k);
    return a.bytes_per_element() * dm * dk + b.bytes_per_element() * dn * dk +
           (output == GemmOutput::bf16 ? 2.0 : 4.0) * dm * dn;
  }
};

}  // namespace mansard
