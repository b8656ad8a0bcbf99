// SPDX-License-Identifier: Apache-2.0
// Compares the layouts of operands and sums with the formulas of the PTX ISA, which map the other
// way: from lane and register to row and column.
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "kernels/ceilings/mma/accumulators.h"
#include "kernels/ceilings/mma/mma_fragment.h"
#include "kernels/ceilings/mma/wgmma_fragment.h"

namespace mansard::kernels {
namespace {

using mma_sync::FragmentLayout;
using mma_sync::Place;

void expect_place(Place p, int lane, int element, int per_register) {
  EXPECT_EQ(p.lane, lane);
  EXPECT_EQ(p.reg, element / per_register);
  EXPECT_EQ(p.element, element % per_register);
}

// For all shapes with K = 8 registers of elements: "mma.m16n8k8" with .tf32, "mma.m16n8k16" with
// .bf16, "mma.m16n8k32" with .s8 and .e4m3, "mma.m16n8k64" with .e2m1. a0, a1, ... are the elements
// in the order of registers, group = lane / 4, thread = lane % 4.
template <int kElements>
void expect_m16n8() {
  constexpr int kK = 8 * kElements;
  using Layout = FragmentLayout<16, kK, kElements>;
  static_assert(Layout::kRegistersA == 4 && Layout::kRegistersB == 2 && Layout::kRegistersD == 4);
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4;
    const int thread = lane % 4;
    for (int i = 0; i < 4 * kElements; ++i) {
      const bool upper = (i / kElements) % 2 == 0;  // a0, a1, a4, a5 of the 16-bit types
      const bool left = i < 2 * kElements;
      const int row = upper ? group : group + 8;
      const int k = thread * kElements + i % kElements + (left ? 0 : kK / 2);
      expect_place(Layout::a(row, k), lane, i, kElements);
    }
    for (int i = 0; i < 2 * kElements; ++i) {
      const int k = thread * kElements + i % kElements + (i < kElements ? 0 : kK / 2);
      expect_place(Layout::b(k, group), lane, i, kElements);
    }
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? group : group + 8;
      expect_place(Layout::d(row, thread * 2 + i % 2), lane, i, 1);
      expect_place(FragmentLayout<16, kK, kElements, 2>::d(row, thread * 2 + i % 2), lane, i, 2);
    }
  }
}

TEST(MmaFragments, SixteenRowsInThirtyTwoBitRegisters) {
  expect_m16n8<1>();
  expect_m16n8<2>();
  expect_m16n8<4>();
  expect_m16n8<8>();
}

TEST(MmaFragments, Fp64M8n8k4) {
  using Layout = FragmentLayout<8, 4, 1>;
  static_assert(Layout::kRegistersA == 1 && Layout::kRegistersB == 1 && Layout::kRegistersD == 2);
  for (int lane = 0; lane < 32; ++lane) {
    expect_place(Layout::a(lane / 4, lane % 4), lane, 0, 1);
    expect_place(Layout::b(lane % 4, lane / 4), lane, 0, 1);
    for (int i = 0; i < 2; ++i) expect_place(Layout::d(lane / 4, lane % 4 * 2 + i), lane, i, 1);
  }
}

TEST(MmaFragments, Fp64M16n8k16) {
  using Layout = FragmentLayout<16, 16, 1>;
  static_assert(Layout::kRegistersA == 8 && Layout::kRegistersB == 4 && Layout::kRegistersD == 4);
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4;
    const int thread = lane % 4;
    for (int i = 0; i < 8; ++i) {
      const int row = i % 2 == 0 ? group : group + 8;
      const int k = i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread;
      expect_place(Layout::a(row, k), lane, i, 1);
    }
    for (int i = 0; i < 4; ++i) expect_place(Layout::b(thread + i * 4, group), lane, i, 1);
    for (int i = 0; i < 4; ++i) {
      expect_place(Layout::d(i < 2 ? group : group + 8, thread * 2 + i % 2), lane, i, 1);
    }
  }
}

// Lanes 0 and 1 of each group of four hold the scales of rows `group` and `group` + 8, lane 0 those
// of column `group`.
TEST(MmaFragments, ScalesAreWhereTheZeroSelectorsRead) {
  for (int group = 0; group < 8; ++group) {
    EXPECT_EQ(mma_sync::scale_row(4 * group), group);
    EXPECT_EQ(mma_sync::scale_row(4 * group + 1), group + 8);
    EXPECT_EQ(mma_sync::scale_column(4 * group), group);
  }
}

// "wgmma.mma_async.m64nNk16", fragment of D: row = 16 * (warp % 4) + group for even pairs, plus 8
// for odd ones; column = 8 * (i / 4) + 2 * thread + (i & 1).
TEST(WgmmaFragment, CoversTheTileOnceWithNeighborsInOneRegister) {
  std::set<std::pair<int, int>> seen;
  for (int t = 0; t < wgmma::kThreads; ++t) {
    for (int i = 0; i < wgmma::kM * wgmma::kN / wgmma::kThreads; ++i) {
      const int row = wgmma::accumulator_row(t, i);
      const int column = wgmma::accumulator_column(t, i);
      EXPECT_EQ(row, 16 * (t / 32) + t % 32 / 4 + (i & 2 ? 8 : 0));
      EXPECT_EQ(column, (i >> 2) * 8 + t % 4 * 2 + (i & 1));
      seen.emplace(row, column);
      if (i % 2 == 1) {
        EXPECT_EQ(wgmma::accumulator_row(t, i - 1), row);
        EXPECT_EQ(wgmma::accumulator_column(t, i - 1), column - 1);
        EXPECT_EQ(column % 2, 1);
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(wgmma::kM * wgmma::kN));
  static_assert(wgmma::kRegisters<Fp32Accumulators> == 128);
  static_assert(wgmma::kRegisters<Fp16Accumulators> == 64);
}

TEST(WgmmaFragment, CoversTheRowsOfAOnce) {
  std::set<std::pair<int, int>> seen;
  for (int t = 0; t < wgmma::kThreads; ++t) {
    for (int r = 0; r < wgmma::kRegistersA; ++r) {
      EXPECT_EQ(wgmma::operand_byte(t, r) % 4, 0);
      seen.emplace(wgmma::operand_row(t, r), wgmma::operand_byte(t, r));
    }
  }
  EXPECT_EQ(seen.size(), 64u * 32 / 4);
  EXPECT_EQ(seen.begin()->first, 0);
  EXPECT_EQ(*seen.rbegin(), (std::pair{63, 28}));
}

TEST(Accumulators, ReadPackedHalves) {
  const std::vector<std::uint32_t> d = {0xc0003c00, 0x00017bff};
  EXPECT_EQ(Fp16Accumulators::at(d, 0), 1.0);
  EXPECT_EQ(Fp16Accumulators::at(d, 1), -2.0);
  EXPECT_EQ(Fp16Accumulators::at(d, 2), 65504.0);
  EXPECT_EQ(Fp16Accumulators::at(d, 3), 0x1p-24);
  EXPECT_EQ(Int32Accumulators::at({7, -5}, 1), -5.0);
}

}  // namespace
}  // namespace mansard::kernels
