// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/random_element.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "kernels/ceilings/mma/element_formats.h"

namespace mansard::kernels {
namespace {

// Compared with an independent conversion by ldexp and nearbyint, over all exponents in range and
// with ties among the mantissas.
template <typename Format>
void expect_same_codes(int exponent_bits, int mantissa_bits) {
  for (int exponent = -26; exponent <= 2; ++exponent) {
    for (std::uint32_t mantissa = 0; mantissa < 4096; ++mantissa) {
      const float a = std::ldexp(1.0f + static_cast<float>(mantissa) / 4096.0f, exponent);
      for (const float x : {a, -a}) {
        ASSERT_EQ(to_small_float(x, exponent_bits, mantissa_bits), Format::encode(double{x})) << x;
      }
    }
  }
}

TEST(SmallFloats, AreRoundedToNearestEvenDownToZero) {
  expect_same_codes<element::Fp16>(5, 10);
  expect_same_codes<element::E4m3>(4, 3);
  EXPECT_EQ(to_small_float(0.0f, 5, 10), 0u);
}

constexpr ElementFormat kOperands[] = {
    ElementFormat::fp64, ElementFormat::fp32,     ElementFormat::tf32, ElementFormat::fp16,
    ElementFormat::bf16, ElementFormat::fp8_e4m3, ElementFormat::int8, ElementFormat::fp4_e2m1};

TEST(RandomElements, HaveTheMomentsOfTheirPattern) {
  constexpr int kCount = 1 << 16;
  for (const ElementFormat format : kOperands) {
    for (const DataPattern pattern : {DataPattern::random_uniform, DataPattern::random_normal}) {
      double sum = 0, squares = 0;
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const double x = random_element(format, pattern, 3, i);
        ASSERT_TRUE(std::isfinite(x));
        sum += x;
        squares += x * x;
      }
      const bool uniform = pattern == DataPattern::random_uniform;
      double expected = uniform ? 1 / std::sqrt(3.0) : 1;
      if (format == ElementFormat::int8) expected *= uniform ? 127.5 : 26;
      const double deviation = std::sqrt(squares / kCount);  // from zero
      // FP4 rounds to steps of 1/2. For a uniform variable: (0.25 * 1 + 0.5 * 0.25) / (1 / 3).
      const double tolerance = format == ElementFormat::fp4_e2m1 ? 0.07 : 0.01;
      EXPECT_NEAR(deviation / expected, 1, tolerance) << static_cast<int>(format);
      // Uniform floating-point numbers are in [0, 1); integers have both signs.
      const double mean = uniform && format != ElementFormat::int8 ? 0.5 : 0;
      EXPECT_NEAR(sum / kCount / expected, mean / expected, 0.015) << static_cast<int>(format);
    }
  }
}

TEST(RandomElements, ZerosPatternHasZerosAndUnitScales) {
  for (const ElementFormat format : kOperands) {
    EXPECT_EQ(random_bits(format, DataPattern::zeros, 3, 17), 0u);
  }
  for (const ElementFormat scale : {ElementFormat::scale_e8m0, ElementFormat::scale_e4m3}) {
    EXPECT_EQ(random_element(scale, DataPattern::zeros, 3, 17), 1.0);
    std::set<double> values;
    for (std::uint64_t i = 0; i < 100; ++i) {
      values.insert(random_element(scale, DataPattern::random_normal, 3, i));
    }
    EXPECT_EQ(values, (std::set<double>{0.5, 1.0, 2.0}));
  }
}

TEST(RandomElements, Bf16MatchesTheRecipes) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(random_bits(ElementFormat::bf16, DataPattern::random_normal, 5, i),
              random_bf16(DataPattern::random_normal, 5, i).bits);
  }
}

// Sign and mantissa; exponents of such data vary within a few values.
std::uint64_t toggling_bits(ElementFormat format) {
  switch (format) {
    case ElementFormat::fp64:
      return 0x800fffffffffffffu;
    case ElementFormat::fp32:
      return 0x807fffffu;
    case ElementFormat::tf32:
      return 0x807fe000u;
    case ElementFormat::fp16:
      return 0x83ffu;
    case ElementFormat::bf16:
      return 0x807fu;
    case ElementFormat::fp8_e4m3:
      return 0x87u;
    case ElementFormat::int8:
      return 0xffu;
    case ElementFormat::fp4_e2m1:
      return 0x9u;
    default:
      return 0;
  }
}

// Constant bits would reduce power compared with the data of real programs.
TEST(RandomElements, ToggleTheSignAndTheWholeMantissa) {
  for (const ElementFormat format : kOperands) {
    for (const DataPattern pattern : {DataPattern::random_uniform, DataPattern::random_normal}) {
      std::uint64_t ones = 0, zeros = 0;
      for (std::uint64_t i = 0; i < 10000; ++i) {
        const std::uint64_t bits = random_bits(format, pattern, 9, i);
        ones |= bits;
        zeros |= ~bits;
      }
      std::uint64_t expected = toggling_bits(format);
      if (pattern == DataPattern::random_uniform && format != ElementFormat::int8) {
        expected &= ~(std::uint64_t{1} << (bits_per_element(format) - 1));  // no sign in [0, 1)
      }
      EXPECT_EQ(ones & zeros & expected, expected) << static_cast<int>(format);
      const int width = bits_per_element(format);
      if (width < 64) {
        EXPECT_EQ(ones >> width, 0u) << static_cast<int>(format);
      }
      if (format == ElementFormat::tf32) {
        EXPECT_EQ(ones & 0x1fffu, 0u);
      }
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
