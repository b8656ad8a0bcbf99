// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/random_element.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mansard {
namespace {

double from_small_float(std::uint64_t bits, int exponent_bits, int mantissa_bits) {
  const auto code = static_cast<int>(bits);
  const int mantissa = code & ((1 << mantissa_bits) - 1);
  const int exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const bool negative = (code >> (exponent_bits + mantissa_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int step = std::max(exponent, 1) - bias - mantissa_bits;  // log2 of the format's step
  const int steps = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
  const double a = std::ldexp(steps, step);
  return negative ? -a : a;
}

// Infinities and NaN have the exponent of ones.
double from_fp16(std::uint64_t bits) {
  if ((bits & 0x7c00) != 0x7c00) return from_small_float(bits, 5, 10);
  if ((bits & 0x3ff) != 0) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return (bits & 0x8000) != 0 ? -infinity : infinity;
}

}  // namespace

double element_value(ElementFormat format, std::uint64_t bits) {
  switch (format) {
    case ElementFormat::fp64:
      return std::bit_cast<double>(bits);
    case ElementFormat::fp32:
    case ElementFormat::tf32:
      return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    case ElementFormat::fp16:
      return from_fp16(bits);
    case ElementFormat::bf16:
      return double{bf16::to_float({static_cast<std::uint16_t>(bits)})};
    case ElementFormat::fp8_e4m3:
    case ElementFormat::scale_e4m3:
      return double{nvfp4::from_e4m3(static_cast<std::uint8_t>(bits))};
    case ElementFormat::int8:
      return static_cast<std::int8_t>(bits);
    case ElementFormat::int32:
      return static_cast<std::int32_t>(bits);
    case ElementFormat::fp4_e2m1:
      return double{nvfp4::kE2m1Values[bits & 0xf]};
    case ElementFormat::scale_e8m0:
      return std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  return 0;
}

}  // namespace mansard
