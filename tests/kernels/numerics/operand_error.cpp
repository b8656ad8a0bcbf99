// SPDX-License-Identifier: Apache-2.0
#include "kernels/numerics/operand_error.h"

#include <gtest/gtest.h>

#include "tests/kernels/numerics/odd_operands.h"

namespace mansard::kernels::numerics {
namespace {

TEST(OperandError, SumsOfEveryFormatAndShape) {
  std::uint64_t saturated = 0;
  std::uint64_t underflowed = 0;
  for (const OddOperand& operand : odd_operands()) {
    SCOPED_TRACE(operand.name);
    const Sums sums = sums_of(operand.error());
    const Sums expected = plain_sums(operand);
    EXPECT_NEAR(sums.squares, expected.squares, 1e-12 * expected.squares);
    EXPECT_NEAR(sums.error_squares, expected.error_squares, 1e-12 * expected.error_squares);
    EXPECT_EQ(sums.nonzero, expected.nonzero);
    EXPECT_EQ(sums.underflowed, expected.underflowed);
    EXPECT_EQ(sums.saturated, expected.saturated);
    EXPECT_EQ(sums.amax_bits, expected.amax_bits);
    saturated += sums.saturated;
    underflowed += sums.underflowed;
  }
  EXPECT_GT(saturated, 1000u) << "the inputs have both";
  EXPECT_GT(underflowed, 1000u);
}

// By hand: 3 becomes 2 with the largest code of E2M1 (6) and a factor of 1/3, 0.5 becomes 0.
TEST(OperandError, ByHand) {
  const std::vector<Bf16> source = {bf16::from_float(3), bf16::from_float(-0.5f),
                                    bf16::from_float(0), bf16::from_float(1)};
  const std::vector<Bf16> values = {bf16::from_float(6), bf16::from_float(0), bf16::from_float(0),
                                    bf16::from_float(3)};
  const std::vector<std::uint8_t> codes = {0x07, 0x50, 0, 0, 0, 0, 0, 0};
  const float factor = 1.0f / 3;
  OperandError e;
  e.source = source.data();
  e.shape = {1, 4};
  e.values = values.data();
  e.factor = &factor;
  e.codes = codes.data();
  e.format = Precision::nvfp4;
  const Sums sums = sums_of(e);
  EXPECT_DOUBLE_EQ(sums.squares, 9 + 0.25 + 1);
  EXPECT_NEAR(sums.error_squares, 1 + 0.25, 1e-6);
  EXPECT_EQ(sums.nonzero, 3u);
  EXPECT_EQ(sums.underflowed, 1u);
  EXPECT_EQ(sums.saturated, 1u);
  EXPECT_EQ(sums.amax_bits, bf16::from_float(3).bits);
}

TEST(OperandError, NumbersThatAreNotFiniteAreNotLost) {
  for (const std::uint16_t bits : {0x7f80, 0x7fc0, 0xffc0}) {
    const std::vector<Bf16> source = {bf16::from_float(3), {bits}, bf16::from_float(1)};
    OperandError e;
    e.source = source.data();
    e.shape = {1, 3};
    const Sums sums = sums_of(e);
    EXPECT_EQ(sums.amax_bits, bits & 0x7fffu);
    EXPECT_FALSE(std::isfinite(sums.squares));
  }
}

}  // namespace
}  // namespace mansard::kernels::numerics
