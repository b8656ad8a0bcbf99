// SPDX-License-Identifier: Apache-2.0
// Operands with every feature that the sums count, and their sums by plain loops.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernels/formats/fp8_format.h"
#include "kernels/formats/random_input.h"
#include "kernels/numerics/operand_error.h"

namespace mansard::kernels::numerics {

struct OddOperand {
  std::string name;
  Shape shape;  // of the source
  bool transposed = false;
  Precision format = Precision::bf16;  // bf16: without codes
  bool has_values = true;
  bool has_factor = true;
  std::vector<Bf16> source, values;
  std::vector<std::uint8_t> codes;
  float factor = 0.3f;
  double unit = 1.0 / 7;

  std::int64_t cols() const { return transposed ? shape.rows : shape.cols; }
  std::int64_t rows() const { return transposed ? shape.cols : shape.rows; }
  std::int64_t source_index(std::int64_t row, std::int64_t col) const {
    return transposed ? col * shape.cols + row : row * shape.cols + col;
  }

  // With pointers to these host arrays.
  OperandError error() const {
    OperandError e;
    e.source = source.data();
    e.shape = shape;
    e.transposed = transposed;
    e.unit = unit;
    if (has_values) e.values = values.data();
    if (has_factor) e.factor = &factor;
    if (!codes.empty()) e.codes = codes.data();
    e.format = format;
    return e;
  }
};

// A source with zeros; values that are near it, 0, or clipped; codes that are random.
inline OddOperand odd_operand(Shape shape, bool transposed, Precision format,
                              bool has_values = true, bool has_factor = true) {
  OddOperand o;
  o.name = std::to_string(shape.rows) + "x" + std::to_string(shape.cols) +
           (transposed ? " transposed " : " ") + std::string(info(format).key);
  o.shape = shape;
  o.transposed = transposed;
  o.format = format;
  o.has_values = has_values;
  o.has_factor = has_factor;
  const std::int64_t n = shape.elements();
  o.source.resize(static_cast<std::size_t>(n));
  fill_random(o.source.data(), n, DataPattern::random_normal, 3);
  for (std::int64_t i = 0; i < n; i += 11) o.source[static_cast<std::size_t>(i)] = Bf16{0x8000};
  o.values.resize(o.source.size());
  const double unit = o.unit * (has_factor ? double{o.factor} : 1.0);
  for (std::int64_t row = 0; row < o.rows(); ++row) {
    for (std::int64_t col = 0; col < o.cols(); ++col) {
      const std::int64_t i = row * o.cols() + col;
      const std::uint64_t kind = splitmix64(static_cast<std::uint64_t>(i)) % 8;
      const double x =
          double{bf16::to_float(o.source[static_cast<std::size_t>(o.source_index(row, col))])};
      const double q = kind == 0 ? 0 : kind == 1 ? 0.5 * x : kind == 2 ? 1.001 * x : 0.999 * x;
      o.values[static_cast<std::size_t>(i)] = bf16::from_float(static_cast<float>(q / unit));
    }
  }
  if (format == Precision::bf16) return o;
  const std::int64_t row_bytes = format == Precision::nvfp4 ? (o.cols() + 15) / 16 * 8 : o.cols();
  for (std::int64_t i = 0; i < o.rows() * row_bytes; ++i) {
    // One in eight has the largest magnitude of FP8.
    const std::uint64_t word = splitmix64(static_cast<std::uint64_t>(i) + 1000);
    const bool largest = format != Precision::nvfp4 && word % 8 == 0;
    const std::uint8_t top = format == Precision::fp8_e4m3 ? 0x7e : 0x7b;
    o.codes.push_back(largest ? static_cast<std::uint8_t>(top | (word >> 8 & 0x80))
                              : static_cast<std::uint8_t>(word >> 16));
  }
  return o;
}

inline std::vector<OddOperand> odd_operands() {
  std::vector<OddOperand> all;
  for (const Precision format :
       {Precision::bf16, Precision::fp8_e4m3, Precision::fp8_e5m2, Precision::nvfp4}) {
    for (const bool transposed : {false, true}) {
      for (const Shape shape : {Shape{1, 1}, Shape{16, 48}, Shape{33, 65}, Shape{160, 96}}) {
        all.push_back(odd_operand(shape, transposed, format));
      }
    }
  }
  all.push_back(odd_operand({32, 32}, false, Precision::fp8_e4m3, true, false));
  all.push_back(odd_operand({64, 32}, false, Precision::bf16, false, false));
  all.push_back(odd_operand({700, 1000}, true, Precision::nvfp4));
  return all;
}

// The definitions of operand_error.h, with largest codes by their numbers.
inline Sums plain_sums(const OddOperand& o) {
  Sums sums;
  double amax = 0;
  for (std::int64_t row = 0; row < o.rows(); ++row) {
    for (std::int64_t col = 0; col < o.cols(); ++col) {
      const auto at = static_cast<std::size_t>(row * o.cols() + col);
      const Bf16 source = o.source[static_cast<std::size_t>(o.source_index(row, col))];
      const double x = double{bf16::to_float(source)};
      sums.squares += x * x;
      sums.nonzero += x != 0 ? 1 : 0;
      if (std::fabs(x) > amax) {
        amax = std::fabs(x);
        sums.amax_bits = source.bits & 0x7fffu;
      }
      if (!o.has_values) continue;
      const double q =
          double{bf16::to_float(o.values[at])} * o.unit * (o.has_factor ? double{o.factor} : 1.0);
      sums.error_squares += std::pow(x - q, 2);
      sums.underflowed += x != 0 && q == 0 ? 1 : 0;
      if (o.codes.empty() || std::fabs(x) <= 1.0078125 * std::fabs(q)) continue;
      if (o.format == Precision::nvfp4) {
        const std::int64_t row_bytes = (o.cols() + 15) / 16 * 8;
        const unsigned pair = o.codes[static_cast<std::size_t>(row * row_bytes + col / 2)];
        const unsigned code = col % 2 == 0 ? pair % 16 : pair / 16;
        sums.saturated += code == 7 || code == 15 ? 1 : 0;  // 6 and -6
      } else {
        const auto format = o.format == Precision::fp8_e4m3 ? fp8::Format::e4m3 : fp8::Format::e5m2;
        const double largest = o.format == Precision::fp8_e4m3 ? 448 : 57344;
        sums.saturated += std::fabs(double{fp8::decode(format, o.codes[at])}) == largest ? 1 : 0;
      }
    }
  }
  return sums;
}

}  // namespace mansard::kernels::numerics
