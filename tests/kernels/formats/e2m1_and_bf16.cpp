// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/formats/bf16.h"
#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"

namespace mansard::kernels {
namespace {

const float kNan = std::nanf("");

TEST(E2m1, EveryCodeSurvivesTheRoundTrip) {
  for (std::uint32_t code = 0; code < 16; ++code) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(from_e2m1(code)),
              std::bit_cast<std::uint32_t>(kE2m1Values[code]));
    if (code == 8) continue;  // -0 does not keep its sign, see below
    EXPECT_EQ(to_e2m1(kE2m1Values[code]), code);
  }
}

TEST(E2m1, TiesGoToTheEvenCodeAndNeighborsToTheNearest) {
  for (std::uint32_t code = 0; code < 7; ++code) {
    const float middle = (kE2m1Values[code] + kE2m1Values[code + 1]) / 2;
    const std::uint32_t even = code % 2 == 0 ? code : code + 1;
    EXPECT_EQ(to_e2m1(middle), even) << middle;
    EXPECT_EQ(to_e2m1(std::nextafter(middle, 0.0f)), code) << middle;
    EXPECT_EQ(to_e2m1(std::nextafter(middle, INFINITY)), code + 1) << middle;
    EXPECT_EQ(to_e2m1(-middle), even | 8u) << middle;
  }
}

TEST(E2m1, SpecialValues) {
  EXPECT_EQ(to_e2m1(0.0f), 0u);
  EXPECT_EQ(to_e2m1(-0.0f), 0u);
  EXPECT_EQ(to_e2m1(-std::numeric_limits<float>::denorm_min()), 8u);
  EXPECT_EQ(to_e2m1(INFINITY), 7u);
  EXPECT_EQ(to_e2m1(-INFINITY), 15u);
  EXPECT_EQ(to_e2m1(1e30f), 7u);
  EXPECT_EQ(to_e2m1(kNan), 7u);
}

TEST(Bf16Conversion, RoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const Bf16 low = {static_cast<std::uint16_t>(bits)};
    EXPECT_EQ(bf16::from_float(bf16::to_float(low)), low);
    // The midpoint in bits is the midpoint in value, because both ends are in one binade or
    // adjacent.
    const float middle = std::bit_cast<float>(bits << 16 | 0x8000u);
    EXPECT_EQ(bf16::from_float(middle).bits, bits + bits % 2);
    EXPECT_EQ(bf16::from_float(std::nextafter(middle, 0.0f)).bits, bits);
    EXPECT_EQ(bf16::from_float(std::nextafter(middle, INFINITY)).bits, bits + 1);
  }
  EXPECT_EQ(bf16::from_float(kNan).bits, bf16::kNan);
  EXPECT_EQ(bf16::from_float(-INFINITY).bits, 0xff80);
}

// The reason why a BF16 GEMM of dequantized operands has exactly NVFP4's operand values.
TEST(E2m1, ProductWithABlockScaleIsExactInBf16) {
  for (int scale = 0; scale < 0x7f; ++scale) {
    for (const float value : kE2m1Values) {
      const float product =
          value * fp8::decode(fp8::Format::e4m3, static_cast<std::uint8_t>(scale));
      EXPECT_EQ(bf16::to_float(bf16::from_float(product)), product);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
