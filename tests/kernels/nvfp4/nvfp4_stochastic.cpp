// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/random_input.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

// Known answers: kat_vectors of the Random123 library, philox4x32 of ten rounds.
TEST(Philox, GivesTheKnownAnswers) {
  const auto expect = [](Random128 counter, std::uint32_t key0, std::uint32_t key1,
                         Random128 answer) {
    const Random128 r = philox4x32_10(counter, key0, key1);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(r.word[i], answer.word[i]) << i;
  };
  expect({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  constexpr std::uint32_t kOnes = 0xffffffff;
  expect({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes,
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

float value(std::uint32_t code) { return kE2m1Values[code]; }

TEST(ToE2m1Stochastic, KeepsValuesOnTheGrid) {
  for (std::uint32_t code = 0; code < 16; ++code) {
    const std::uint32_t expected = code == 8 ? 0 : code;  // no negative zero
    for (int r = 0; r < 65536; ++r) {
      ASSERT_EQ(reference::to_e2m1_stochastic(value(code), 1.0f, static_cast<std::uint16_t>(r)),
                expected);
    }
  }
}

TEST(ToE2m1Stochastic, SaturatesAndMapsNanToTheLargest) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const int r : {0, 32768, 65535}) {
    const auto random = static_cast<std::uint16_t>(r);
    for (const float large : {6.4f, 100.0f, kInfinity}) {
      EXPECT_EQ(reference::to_e2m1_stochastic(large, 1.0f, random), 7u);
      EXPECT_EQ(reference::to_e2m1_stochastic(-large, 1.0f, random), 15u);
    }
    EXPECT_EQ(reference::to_e2m1_stochastic(std::nanf(""), 1.0f, random), 7u);
  }
}

// The mean of 4096 roundings is within four standard errors, and each result is a neighbor.
TEST(ToE2m1Stochastic, IsUnbiased) {
  constexpr int kValues = 1000;
  constexpr int kRoundings = 4096;
  for (int v = 0; v < kValues; ++v) {
    const std::uint64_t word = mix64(static_cast<std::uint64_t>(v) + 1);
    const float y = static_cast<float>(static_cast<double>(word) * 0x1p-64 * 12.0 - 6.0);
    const float magnitude = std::fabs(y);
    const float step = magnitude < 2 ? 0.5f : magnitude < 4 ? 1.0f : 2.0f;
    const float low = std::floor(y / step) * step;
    double sum = 0;
    for (int i = 0; i < kRoundings; i += 8) {
      const Random128 bits =
          random_patch({77, static_cast<std::uint64_t>(v)}, static_cast<std::uint32_t>(i), 5);
      for (int h = 0; h < 8; ++h) {
        const auto random = static_cast<std::uint16_t>(bits.word[h / 2] >> (h % 2 * 16));
        const float rounded = value(reference::to_e2m1_stochastic(y, 1.0f, random));
        ASSERT_TRUE(rounded == low || rounded == low + step) << y << " became " << rounded;
        sum += rounded;
      }
    }
    const double up = (static_cast<double>(y) - low) / step;
    const double error = step * std::sqrt(up * (1 - up) / kRoundings);
    EXPECT_LE(std::fabs(sum / kRoundings - y), 4 * error) << y;
  }
}

TEST(QuantizeStochastic, DependsOnlyOnSeedAndOffset) {
  const Shape shape = {48, 64};
  std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
  fill_random(x.data(), shape.elements(), DataPattern::random_normal, 5);
  const float amax = reference::amax(x.data(), shape);
  const auto codes = [&](RandomState state) {
    std::vector<std::uint8_t> c(static_cast<std::size_t>(code_bytes(shape)));
    std::vector<std::uint8_t> s(static_cast<std::size_t>(scale_bytes(shape)));
    reference::quantize_1x16(x.data(), shape, amax, {c.data(), s.data()}, {.random = &state});
    return c;
  };
  EXPECT_EQ(codes({1, 2}), codes({1, 2}));
  EXPECT_NE(codes({1, 2}), codes({1, 3}));
  EXPECT_NE(codes({1, 2}), codes({2, 2}));
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
