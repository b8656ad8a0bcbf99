// SPDX-License-Identifier: Apache-2.0
// Every low-precision instruction of this CPU, and faulty variants.
#include "kernels/device/dot_loops.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/dot_kernel.h"
#include "kernels/device/issue_rate.h"

namespace mansard::kernels {
namespace {

std::vector<DotLoop> runnable() {
  std::vector<DotLoop> all;
  for (const DotLoop& loop : dot_loops()) {
    if (feature_missing(loop.feature).empty()) all.push_back(loop);
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<DotLoop>& info) {
  std::string name(info.param.instruction);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

// The loop under test, called by the faulty ones, which are plain functions.
DotLoop tested;

class DotLoops : public testing::TestWithParam<DotLoop> {
 protected:
  void SetUp() override { tested = GetParam(); }

  static std::string verify(decltype(DotLoop::advance) advance) {
    DotLoop loop = tested;
    loop.advance = advance;
    return DotKernel(loop, {}).verify();
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DotLoops);

TEST_P(DotLoops, ComputeCorrectResults) { EXPECT_EQ(verify(tested.advance), ""); }

TEST_P(DotLoops, MissingRoundIsDetected) {
  EXPECT_NE(verify([](const void* left, const void* other, std::uint32_t* totals,
                      std::int64_t rounds) { tested.advance(left, other, totals, rounds - 1); }),
            "");
}

TEST_P(DotLoops, TwoMissingRoundsOfManyAreDetected) {
  EXPECT_NE(
      verify([](const void* left, const void* other, std::uint32_t* totals, std::int64_t rounds) {
        tested.advance(left, other, totals, rounds > 3 ? rounds - 2 : rounds);
      }),
      "");
}

int element_bytes() { return tested.precision == Precision::int8 ? 1 : 2; }

// Replaces the last element of the last left operand.
TEST_P(DotLoops, OneWrongElementIsDetected) {
  EXPECT_NE(
      verify([](const void* left, const void* other, std::uint32_t* totals, std::int64_t rounds) {
        alignas(64) std::byte changed[kMaxDotOperandBytes];
        std::memcpy(changed, left, sizeof changed);
        std::byte* const last =
            changed + (tested.left * tested.shape.left_elements() - 1) * element_bytes();
        if (tested.precision == Precision::int8) {
          *last ^= std::byte{1};
        } else {
          constexpr std::uint16_t kOne = 0x3f80;  // in BF16; the data are smaller
          std::memcpy(last, &kOne, sizeof kOne);
        }
        tested.advance(changed, other, totals, rounds);
      }),
      "");
}

TEST_P(DotLoops, AChainThatCopiesAnotherIsDetected) {
  EXPECT_NE(
      verify([](const void* left, const void* other, std::uint32_t* totals, std::int64_t rounds) {
        tested.advance(left, other, totals, rounds);
        std::copy_n(totals, tested.shape.lanes, totals + tested.shape.lanes);
      }),
      "");
}

TEST_P(DotLoops, SwappedOperandsAreDetected) {
  EXPECT_NE(
      verify([](const void* left, const void* other, std::uint32_t* totals, std::int64_t rounds) {
        alignas(64) std::byte swapped[kMaxDotOperandBytes];
        std::memcpy(swapped, left, sizeof swapped);
        const int bytes = tested.shape.left_elements() * element_bytes();
        std::swap_ranges(swapped, swapped + bytes, swapped + bytes);
        tested.advance(swapped, other, totals, rounds);
      }),
      "");
}

TEST_P(DotLoops, OneWrongBitIsDetected) {
  EXPECT_NE(
      verify([](const void* left, const void* other, std::uint32_t* totals, std::int64_t rounds) {
        tested.advance(left, other, totals, rounds);
        totals[tested.chains() * tested.shape.lanes - 1] ^= 1u;
      }),
      "");
}

TEST_P(DotLoops, CountEachMultiplyAddAsTwo) {
  const DotKernel kernel(tested, {});
  const auto parameters = kernel.parameters();
  const double instructions = std::stod(parameters.at("instructions_per_launch"));
  const double threads = std::stod(parameters.at("threads"));
  const double multiply_adds = instructions * threads * tested.shape.lanes * tested.shape.depth;
  EXPECT_EQ(kernel.work().flop, 2 * multiply_adds);
  EXPECT_TRUE(kernel.work().bytes.empty());
}

TEST_P(DotLoops, StartAtAPlausibleRate) {
  EXPECT_GE(dot_rate(tested), 1.0 / 16);
  EXPECT_LE(dot_rate(tested), 8);
  EXPECT_EQ(dot_rate(tested), dot_rate(tested));
}

INSTANTIATE_TEST_SUITE_P(EveryInstruction, DotLoops, testing::ValuesIn(runnable()), name_of);

// In total the lanes use every element of both operands; a matrix uses each of them once per column
// or row.
TEST(DotShape, UsesEveryElement) {
  for (const DotLoop& loop : dot_loops()) {
    const DotShape& shape = loop.shape;
    std::multiset<int> lefts;
    std::multiset<int> rights;
    for (int lane = 0; lane < shape.lanes; ++lane) {
      for (int k = 0; k < shape.depth; ++k) {
        lefts.insert(shape.left_element(lane, k));
        rights.insert(shape.right_element(lane, k));
      }
    }
    const auto products = static_cast<std::size_t>(shape.lanes * shape.depth);
    for (int i = 0; i < shape.left_elements(); ++i) {
      EXPECT_EQ(lefts.count(i), products / static_cast<std::size_t>(shape.left_elements()));
    }
    for (int i = 0; i < shape.right_elements(); ++i) {
      EXPECT_EQ(rights.count(i), products / static_cast<std::size_t>(shape.right_elements()));
    }
  }
}

TEST(WholeRate, RoundsToWholeUnitsOrCycles) {
  EXPECT_EQ(whole_rate(1.96), 2);
  EXPECT_EQ(whole_rate(2.08), 2);  // the clock was underestimated
  EXPECT_EQ(whole_rate(1.4), 2);   // disturbed
  EXPECT_EQ(whole_rate(0.98), 1);
  EXPECT_EQ(whole_rate(1.1), 1);
  EXPECT_EQ(whole_rate(0.8), 1);
  EXPECT_EQ(whole_rate(0.4975), 0.5);
  EXPECT_EQ(whole_rate(0.52), 0.5);
  EXPECT_EQ(whole_rate(0.36), 0.5);  // disturbed
  EXPECT_EQ(whole_rate(0.061), 1.0 / 16);
  EXPECT_GT(whole_rate(1e-9), 0);
}

TEST(ChooseDotLoop, RespectsTheRequestedWidth) {
  for (const InstructionSet widest : supported_instruction_sets()) {
    for (const Precision precision : {Precision::int8, Precision::bf16}) {
      for (const DotUnit unit : {DotUnit::vector, DotUnit::tile}) {
        const DotChoice choice = choose_dot_loop(precision, unit, widest);
        EXPECT_EQ(choice.loop == nullptr, !choice.why.empty());
        if (choice.loop == nullptr) continue;
        EXPECT_LE(choice.loop->set, widest);
        EXPECT_EQ(choice.loop->precision, precision);
        EXPECT_EQ(choice.loop->unit, unit);
      }
    }
  }
}

TEST(ChooseDotLoop, ReportsTheMissingFeature) {
  const DotChoice none =
      choose_dot_loop(Precision::fp64, DotUnit::vector, supported_instruction_sets().back());
  EXPECT_EQ(none.loop, nullptr);
  EXPECT_NE(none.why.find("FP64"), std::string::npos) << none.why;
#if defined(__x86_64__)
  const DotChoice narrow =
      choose_dot_loop(Precision::int8, DotUnit::vector, InstructionSet::baseline);
  EXPECT_EQ(narrow.loop, nullptr);
  EXPECT_NE(narrow.why.find("AVX2"), std::string::npos) << narrow.why;
  EXPECT_NE(feature_missing(CpuFeature::neon_bf16).find("ARM"), std::string::npos);
#else
  EXPECT_NE(feature_missing(CpuFeature::amx_bf16).find("x86"), std::string::npos);
#endif
}

}  // namespace
}  // namespace mansard::kernels
