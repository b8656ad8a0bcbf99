// SPDX-License-Identifier: Apache-2.0
// Matrices at the limits of the arithmetic, for the reference's properties and for comparing CUDA
// with it.
#pragma once

#include <string>
#include <vector>

#include "kernels/formats/random_input.h"
#include "kernels/formats/shape.h"

namespace mansard::kernels {

struct SpecialInput {
  std::string name;
  std::vector<Bf16> x;
};

inline constexpr std::uint16_t kBf16Max = 0x7f7f;
inline constexpr std::uint16_t kBf16Infinity = 0x7f80;

inline std::vector<SpecialInput> special_inputs(Shape shape) {
  const auto count = static_cast<std::size_t>(shape.elements());
  std::vector<Bf16> normal(count);
  fill_random(normal.data(), shape.elements(), DataPattern::random_normal, 7);
  const auto with = [&](std::size_t at, std::uint16_t bits) {
    std::vector<Bf16> x = normal;
    x[at] = {bits};
    return x;
  };
  const auto scaled = [&](int exponent) {
    std::vector<Bf16> x(count);
    fill_random(x.data(), shape.elements(), DataPattern::random_normal, 8, exponent);
    return x;
  };
  // Every finite and non-finite bit pattern, in an order that mixes magnitudes.
  std::vector<Bf16> all_bits(count), finite_bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    all_bits[i] = {static_cast<std::uint16_t>(i * 40503u)};
    finite_bits[i] = {static_cast<std::uint16_t>(all_bits[i].bits & 0xff7f)};
  }
  std::vector<Bf16> zero_blocks = normal;
  for (std::size_t i = 0; i < count; ++i) {
    if (i / 16 % 3 == 0) zero_blocks[i] = {static_cast<std::uint16_t>(i % 2 == 0 ? 0 : 0x8000)};
  }
  return {{"zeros", std::vector<Bf16>(count, Bf16{0})},
          {"negative_zeros", std::vector<Bf16>(count, Bf16{0x8000})},
          {"zero_blocks", zero_blocks},
          {"one_nan", with(17, 0x7fc0)},
          {"negative_nan", with(count - 1, 0xffc1)},
          {"one_infinity", with(33, kBf16Infinity)},
          {"one_maximum", with(5, kBf16Max)},
          {"all_maximum", std::vector<Bf16>(count, Bf16{kBf16Max})},
          {"all_minimum", std::vector<Bf16>(count, Bf16{0x0001})},
          {"subnormal", scaled(-126)},
          {"tiny", scaled(-100)},
          {"huge", scaled(120)},
          {"finite_bits", finite_bits},
          {"all_bits", all_bits}};
}

}  // namespace mansard::kernels
