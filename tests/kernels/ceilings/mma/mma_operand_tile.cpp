// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/ceilings/mma/element_formats.h"
#include "kernels/ceilings/mma/operand_tile.h"
#include "kernels/ceilings/mma/scale_tile.h"

namespace mansard::kernels {
namespace {

// The PTX ISA's 128-byte swizzle of addresses: bits 4 to 6 are XORed with bits 7 to 9, the row
// within a group of 8.
TEST(OperandTile, SwizzlesAddressBits) {
  std::set<int> seen;
  for (int row = 0; row < 24; ++row) {
    for (int column = 0; column < kTileRowBytes; ++column) {
      const int address = row * kTileRowBytes + column;
      EXPECT_EQ(swizzled(row, column), address ^ ((address >> 7 & 7) << 4));
      seen.insert(swizzled(row, column));
    }
  }
  EXPECT_EQ(seen.size(), 24u * kTileRowBytes);
  EXPECT_EQ(*seen.rbegin(), 24 * kTileRowBytes - 1);
}

template <typename Element>
void expect_reads_what_was_drawn() {
  OperandPattern draw(DataPattern::random_normal, 5);
  const OperandTile<Element> tile(16, draw);
  EXPECT_EQ(tile.bytes().size(), 16u * kTileRowBytes);
  OperandPattern again(DataPattern::random_normal, 5);
  const std::vector<double> values = tile.values();
  ASSERT_EQ(values.size(), 16u * OperandTile<Element>::kColumns);
  for (const double value : values) EXPECT_EQ(value, Element::decode(again.code<Element>()));
}

TEST(OperandTile, ReadsBackItsRandomValues) {
  expect_reads_what_was_drawn<element::Tf32>();
  expect_reads_what_was_drawn<element::Bf16>();
  expect_reads_what_was_drawn<element::E5m2>();
  expect_reads_what_was_drawn<element::Int8>();
  expect_reads_what_was_drawn<element::E2m1>();
}

TEST(OperandTile, PacksTheFirstOfTwoFp4InTheLowHalf) {
  OperandPattern draw(DataPattern::random_normal, 11);
  const OperandTile<element::E2m1> tile(8, draw);
  OperandPattern again(DataPattern::random_normal, 11);
  const std::uint32_t first = again.code<element::E2m1>();
  const std::uint32_t second = again.code<element::E2m1>();
  EXPECT_EQ(tile.bytes()[0], first | second << 4);  // row 0 is not permuted
}

TEST(OperandTile, KeepsLittleEndianBytesTogether) {
  OperandPattern draw(DataPattern::random_normal, 3);
  const OperandTile<element::Tf32> tile(8, draw);
  OperandPattern again(DataPattern::random_normal, 3);
  const std::uint32_t code = again.code<element::Tf32>();
  for (int byte = 0; byte < 4; ++byte) {
    EXPECT_EQ(tile.bytes()[static_cast<std::size_t>(byte)], code >> (8 * byte) & 0xff);
  }
}

TEST(OperandPattern, SpreadsIntegersOverTheirRange) {
  for (const DataPattern pattern : {DataPattern::random_uniform, DataPattern::random_normal}) {
    OperandPattern draw(pattern, 1);
    double largest = 0;
    double squares = 0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
      const double x = element::Int8::decode(draw.code<element::Int8>());
      largest = std::max(largest, std::fabs(x));
      squares += x * x;
    }
    EXPECT_EQ(largest, 127);
    const double deviation = pattern == DataPattern::random_normal ? 127 / 4.0 : 127 / std::sqrt(3);
    EXPECT_NEAR(std::sqrt(squares / kCount), deviation, 0.02 * deviation);
  }
  OperandPattern zeros(DataPattern::zeros, 1);
  EXPECT_EQ(zeros.code<element::Int8>(), 0u);
  EXPECT_EQ(zeros.scale<element::Ue4m3>(), element::Ue4m3::kOne);
}

// Byte addresses of the scale-factor atom of 128 rows by 4 scales, computed by hand: 32 lanes of 16
// bytes, each with 4 bytes for rows r, r + 32, r + 64, r + 96.
TEST(ScaleTile, FormsAtomsOf128RowsBy4Scales) {
  EXPECT_EQ(scale_offset(128, 0, 0), 0);
  EXPECT_EQ(scale_offset(128, 0, 3), 3);
  EXPECT_EQ(scale_offset(128, 1, 0), 16);
  EXPECT_EQ(scale_offset(128, 31, 0), 31 * 16);
  EXPECT_EQ(scale_offset(128, 32, 0), 4);
  EXPECT_EQ(scale_offset(128, 96, 1), 13);
  EXPECT_EQ(scale_offset(128, 127, 3), 511);
  EXPECT_EQ(scale_offset(128, 0, 4), 512);    // the next four scales are in the next atom
  EXPECT_EQ(scale_offset(256, 128, 0), 512);  // unless other rows of the same instruction do
  EXPECT_EQ(scale_offset(256, 0, 4), 1024);
  std::set<int> seen;
  for (int row = 0; row < 256; ++row) {
    for (int scale = 0; scale < 16; ++scale) seen.insert(scale_offset(256, row, scale));
  }
  EXPECT_EQ(seen.size(), 256u * 16u);
  EXPECT_EQ(*seen.rbegin(), 256 * 16 - 1);
}

TEST(ScaleTile, ReadsItsOwnBytes) {
  OperandPattern draw(DataPattern::random_normal, 9);
  const ScaleTile<element::Ue8m0> tile(128, 4, draw);
  EXPECT_EQ(tile.bytes().size(), 512u);
  EXPECT_EQ(tile.at(33, 2), element::Ue8m0::decode(tile.bytes()[16 + 4 + 2]));
  std::set<double> values;
  for (int row = 0; row < 128; ++row) values.insert(tile.at(row, 0));
  EXPECT_EQ(values, (std::set<double>{0.25, 0.5, 1, 2, 4}));
}

TEST(AccumulationError, AllowsIntegersNoError) {
  AccumulationError right;
  right.add(1 << 20, 1 << 20);
  EXPECT_EQ(right.judge(12, kExactFractionBits), "");
  AccumulationError wrong;
  wrong.add((1 << 20) + 1, 1 << 20);
  EXPECT_NE(wrong.judge(12, kExactFractionBits), "");
}

TEST(AccumulationError, DistinguishesALostFp64BitFromALostProduct) {
  AccumulationError rounding;
  rounding.add(1 + 0x1p-50, 1);
  EXPECT_EQ(rounding.judge(3, kFp64FractionBits), "");
  AccumulationError lost;
  lost.add(1 + 0x1p-30, 1);
  EXPECT_NE(lost.judge(3, kFp64FractionBits), "");
  AccumulationError overflow;
  overflow.add(element::Fp16::decode(0x7c00), 1);
  EXPECT_NE(overflow.judge(3, kFp16FractionBits), "");
}

}  // namespace
}  // namespace mansard::kernels
