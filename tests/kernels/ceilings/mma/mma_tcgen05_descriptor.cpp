// SPDX-License-Identifier: Apache-2.0
// Bit patterns computed by hand from the tables of the PTX ISA: one line per nonzero field.
#include <gtest/gtest.h>

#include "kernels/ceilings/mma/tcgen05_descriptor.h"

namespace mansard::kernels::tcgen05 {
namespace {

constexpr std::uint32_t bit(int position) { return 1u << position; }

// N = 256: bits 17-22 hold N >> 3 = 32, its one bit is 5. M = 128: bits 24-28 hold M >> 4 = 8, its
// one bit is 3.
constexpr std::uint32_t kN256 = bit(17 + 5);
constexpr std::uint32_t kM128 = bit(24 + 3);
constexpr std::uint32_t kF32 = bit(4);  // bits 4-5: F32 = 1

constexpr std::uint32_t plain(std::uint32_t sum, std::uint32_t operands) {
  return instruction_descriptor({.sum = sum, .operands = operands, .m = 128, .n = 256});
}

TEST(Tcgen05Descriptor, KindF16) {
  EXPECT_EQ(plain(type::kSumF32, type::kF16), kF32 | kN256 | kM128);
  EXPECT_EQ(plain(type::kSumF32, type::kBf16), kF32 | bit(7) | bit(10) | kN256 | kM128);
  EXPECT_EQ(plain(type::kSumF32, type::kBf16), 0x08400490u);
}

TEST(Tcgen05Descriptor, KindTf32) {
  EXPECT_EQ(plain(type::kSumF32, type::kTf32), kF32 | bit(8) | bit(11) | kN256 | kM128);
}

TEST(Tcgen05Descriptor, KindF8f6f4) {
  EXPECT_EQ(plain(type::kSumF32, type::kE4m3), kF32 | kN256 | kM128);
  EXPECT_EQ(plain(type::kSumF32, type::kE5m2), kF32 | bit(7) | bit(10) | kN256 | kM128);
}

TEST(Tcgen05Descriptor, KindI8) {
  EXPECT_EQ(plain(type::kSumS32, type::kS8), bit(5) | bit(7) | bit(10) | kN256 | kM128);
}

TEST(Tcgen05Descriptor, OtherShapes) {
  const auto d = instruction_descriptor({.sum = type::kSumF32, .m = 64, .n = 8});
  EXPECT_EQ(d, kF32 | bit(17) | bit(24 + 2));
}

constexpr std::uint32_t scaled(std::uint32_t operands, std::uint32_t scales, std::uint32_t first) {
  return scaled_descriptor({.operands = operands, .scales = scales, .m = 128, .n = 256}, first);
}

// Bits 4-5: byte of B's scales; bit 23: UE8M0; bits 27-28: M >> 7; bits 29-30: byte of A's scales.
TEST(Tcgen05Descriptor, KindMxf8f6f4SelectsOneByte) {
  constexpr std::uint32_t kRest = kN256 | bit(23) | bit(27);
  EXPECT_EQ(scaled(type::kE4m3, type::kScaleUe8m0, 0), kRest);
  EXPECT_EQ(scaled(type::kE4m3, type::kScaleUe8m0, 1), kRest | bit(4) | bit(29));
  EXPECT_EQ(scaled(type::kE4m3, type::kScaleUe8m0, 2), kRest | bit(5) | bit(30));
  EXPECT_EQ(scaled(type::kE4m3, type::kScaleUe8m0, 3), kRest | bit(4) | bit(5) | bit(29) | bit(30));
  EXPECT_EQ(scaled(type::kE5m2, type::kScaleUe8m0, 0), kRest | bit(7) | bit(10));
}

TEST(Tcgen05Descriptor, KindMxf4SelectsTwoBytes) {
  constexpr std::uint32_t kRest = bit(7) | bit(10) | kN256 | bit(23) | bit(27);
  EXPECT_EQ(scaled(type::kE2m1, type::kScaleUe8m0, 0), kRest);
  EXPECT_EQ(scaled(type::kE2m1, type::kScaleUe8m0, 2), kRest | bit(5) | bit(30));
}

TEST(Tcgen05Descriptor, KindMxf4nvf4TakesAllBytes) {
  EXPECT_EQ(scaled(type::kE2m1, type::kScaleUe4m3, 0), bit(7) | bit(10) | kN256 | bit(27));
  EXPECT_EQ(scaled(type::kE2m1, type::kScaleUe4m3, 0), 0x08400480u);
}

// Positions of the scales for the four instructions of a 128-byte row, with 1, 2 and 4 scales each.
TEST(Tcgen05Descriptor, ScalesAdvanceByBytesThenByCells) {
  for (std::uint32_t step = 0; step < 4; ++step) {
    EXPECT_EQ(scale_place(step * 1).cell, 0u);
    EXPECT_EQ(scale_place(step * 1).byte, step);
    EXPECT_EQ(scale_place(step * 2).cell, step / 2);
    EXPECT_EQ(scale_place(step * 2).byte, step % 2 * 2);
    EXPECT_EQ(scale_place(step * 4).cell, step);
    EXPECT_EQ(scale_place(step * 4).byte, 0u);
  }
}

// Bits 0-13: address >> 4; 16-29: leading stride >> 4; 32-45: group stride >> 4; 46-48: 0b001;
// 61-63: swizzle, 2 for 128 bytes.
TEST(Tcgen05Descriptor, SharedMemory) {
  EXPECT_EQ(matrix_descriptor(0x8400, 1024, Swizzle::bytes_128),
            0x840ull | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61);
  EXPECT_EQ(matrix_descriptor(0x20, 128, Swizzle::none),
            0x2ull | 1ull << 16 | 8ull << 32 | 1ull << 46);
  // Only 18 bits of an address are used.
  EXPECT_EQ(matrix_descriptor(0x40010, 128, Swizzle::none),
            matrix_descriptor(0x10, 128, Swizzle::none));
}

}  // namespace
}  // namespace mansard::kernels::tcgen05
