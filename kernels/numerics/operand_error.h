// SPDX-License-Identifier: Apache-2.0
// How well a GEMM operand represents its source: sums over all elements, from which the numerics
// record of training is computed (kernels/annotation/training_annotation.h).
//
// With the source x and the value q that the operand has for it:
//   amax, RMS            of x
//   underflow            x is not 0, and q is 0
//   saturation           q has the code with the largest magnitude, and |x| > |q| (1 + 2^-7): x is
//                        beyond what the scale of its block or tensor can represent
//   signal to noise      sum x^2 / sum (x - q)^2
//
// Differences and squares are FP64, exact for all formats, and are added in FP64 in an order that
// depends on the shape only, so that equal tensors have equal sums.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"
#include "kernels/formats/shape.h"
#include "kernels/nvfp4/stochastic.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels::numerics {

struct Sums {
  double squares = 0;        // x^2
  double error_squares = 0;  // (x - q)^2
  std::uint64_t nonzero = 0;
  std::uint64_t underflowed = 0;
  std::uint64_t saturated = 0;
  std::uint64_t amax_bits = 0;  // of the BF16 number; larger than infinity's: NaN
};

// The elements of an operand and of its source.
struct OperandError {
  const Bf16* source = nullptr;
  Shape shape;              // of the source, row-major
  bool transposed = false;  // the operand has shape.transposed(), and holds the transpose
  // q = value * *factor * unit. No values: the operand is the source. No factor: 1.
  const Bf16* values = nullptr;
  const float* factor = nullptr;
  double unit = 1;
  // From which the values were expanded, in rows of whole bytes (NVFP4: of whole blocks). No codes:
  // saturation is not counted.
  const std::uint8_t* codes = nullptr;
  Precision format = Precision::bf16;  // of the codes: fp8_e4m3, fp8_e5m2 or nvfp4

  MANSARD_HOST_DEVICE Shape operand_shape() const {
    return transposed ? Shape{shape.cols, shape.rows} : shape;
  }
};

// Sums of thread blocks, before they are added.
inline constexpr int kPartialSums = 512;

// Bytes read, each once.
constexpr std::int64_t traffic(const OperandError& e) {
  const std::int64_t n = e.shape.elements();
  const std::int64_t codes = e.codes == nullptr ? 0 : e.format == Precision::nvfp4 ? n / 2 : n;
  return (e.values == nullptr ? 2 : 4) * n + codes;
}

MANSARD_HOST_DEVICE inline void add(Sums& to, const Sums& sums) {
  to.squares += sums.squares;
  to.error_squares += sums.error_squares;
  to.nonzero += sums.nonzero;
  to.underflowed += sums.underflowed;
  to.saturated += sums.saturated;
  if (sums.amax_bits > to.amax_bits) to.amax_bits = sums.amax_bits;
}

MANSARD_HOST_DEVICE inline std::uint64_t magnitude_bits(Bf16 x) {
  return x.bits & bf16::kMagnitudeMask;
}

// Whether the code of element (row, col) of the operand has the format's largest magnitude.
MANSARD_HOST_DEVICE inline bool has_largest_code(const OperandError& e, std::int64_t row,
                                                 std::int64_t col) {
  const std::int64_t cols = e.operand_shape().cols;
  if (e.format == Precision::nvfp4) {
    const std::uint8_t pair = e.codes[row * ((cols + 15) / 16 * 8) + col / 2];
    return ((col % 2 == 0 ? pair : pair >> 4) & 7) == 7;
  }
  const int largest = e.format == Precision::fp8_e4m3 ? 0x7e : 0x7b;
  return (e.codes[row * cols + col] & 0x7f) == largest;
}

// Adds element (row, col) of the operand, whose source is `source`. `unit` includes the factor.
MANSARD_HOST_DEVICE inline void add_element(const OperandError& e, double unit, Bf16 source,
                                            std::int64_t row, std::int64_t col, Sums& to) {
  const auto number = [](Bf16 bf16) {
#ifdef __CUDA_ARCH__
    return static_cast<double>(__uint_as_float(static_cast<unsigned>(bf16.bits) << 16));
#else
    return static_cast<double>(bf16::to_float(bf16));
#endif
  };
  const double x = number(source);
  to.squares += x * x;
  if (magnitude_bits(source) > to.amax_bits) to.amax_bits = magnitude_bits(source);
  if (x != 0) ++to.nonzero;
  if (e.values == nullptr) return;
  const double q = unit * number(e.values[row * e.operand_shape().cols + col]);
  to.error_squares += (x - q) * (x - q);
  if (x != 0 && q == 0) ++to.underflowed;
  if (e.codes == nullptr) return;
  const double magnitude_x = x < 0 ? -x : x;
  const double magnitude_q = q < 0 ? -q : q;
  if (magnitude_x > magnitude_q * (1 + 0x1p-7) && has_largest_code(e, row, col)) ++to.saturated;
}

// On the host.
Sums sums_of(const OperandError& operand);

}  // namespace mansard::kernels::numerics
