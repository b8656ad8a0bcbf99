// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/vector_loops.h"

#include <cctype>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/device/core_clock.h"
#include "kernels/device/fma_units.h"

namespace mansard::kernels {
namespace {

struct NameOfSet {
  template <class Info>
  std::string operator()(const Info& info) const {
    std::string name(to_string(info.param));
    std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
    return name;
  }
};

class LoopsOfSet : public testing::TestWithParam<InstructionSet> {
 protected:
  const VectorLoops& loops_ = vector_loops(GetParam());
};

template <class T>
bool advances_as_std_fma(const VectorLoops& loops) {
  alignas(64) T lanes[kMaxFmaBytes / sizeof(T)];
  const auto multiplier = static_cast<T>(kFmaMultiplier);
  bool same = true;
  for (int i = 0; i < loops.fma_lanes<T>(); ++i) lanes[i] = T(i + 1) / T(1000);
  loops.fma<T>()(lanes, multiplier, T(0.3), 1);
  for (int i = 0; i < loops.fma_lanes<T>(); ++i) {
    T x = T(i + 1) / T(1000);
    for (int step = 0; step < kFmaStepsPerRound; ++step) x = std::fma(x, multiplier, x);
    same = same && x + T(0.3) == lanes[i];
  }
  return same;
}

// Bit by bit: separately rounded multiplication and addition would not be one instruction.
TEST_P(LoopsOfSet, RoundsOnceIfTheSetHasFma) {
#ifndef __OPTIMIZE__
  GTEST_SKIP() << "without optimization the compiler emits two instructions";
#endif
  const bool has_fma = GetParam() != InstructionSet::baseline;
  EXPECT_EQ(advances_as_std_fma<double>(loops_), has_fma);
  EXPECT_EQ(advances_as_std_fma<float>(loops_), has_fma);
}

TEST_P(LoopsOfSet, WriteWithinTheirArrays) {
  constexpr std::int64_t kElements = kLoopGranuleBytes / sizeof(double);
  alignas(64) double a[kElements + 8];
  alignas(64) double b[kElements];
  alignas(64) double c[kElements];
  for (int i = 0; i < kElements; ++i) {
    b[i] = i;
    c[i] = 2 * i;
  }
  for (double& x : a) x = -1;
  loops_.triad(a, b, c, 3, kElements, 2);
  for (int i = 0; i < kElements; ++i) EXPECT_EQ(a[i], 7 * i);
  for (int i = kElements; i < kElements + 8; ++i) EXPECT_EQ(a[i], -1);
}

TEST_P(LoopsOfSet, DotCountsEveryElementAndRepetition) {
  constexpr std::int64_t kElements = 3 * kLoopGranuleBytes / sizeof(double);
  alignas(64) double x[kElements];
  alignas(64) double y[kElements];
  double expected = 0;
  for (int i = 0; i < kElements; ++i) {
    x[i] = i + 1;
    y[i] = i % 7 - 3;
    expected += x[i] * y[i];
  }
  EXPECT_EQ(loops_.dot(x, y, kElements, 1), expected);
  EXPECT_EQ(loops_.dot(x, y, kElements, 5), 5 * expected);
}

TEST_P(LoopsOfSet, FmaUnitsArePlausible) {
  EXPECT_GE(fma_units(GetParam()), 1);
  EXPECT_LE(fma_units(GetParam()), 8);
  EXPECT_EQ(fma_units(GetParam()), fma_units(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EverySet, LoopsOfSet, testing::ValuesIn(supported_instruction_sets()),
                         NameOfSet());

TEST(VectorLoops, RejectASetThatThisCpuLacks) {
#if defined(__x86_64__)
  const InstructionSet foreign = InstructionSet::neon;
#else
  const InstructionSet foreign = InstructionSet::avx512;
#endif
  EXPECT_THROW(vector_loops(foreign), std::runtime_error);
}

TEST(InstructionSet, NamesSurviveTheRoundTrip) {
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::neon,
                                   InstructionSet::avx2_fma, InstructionSet::avx512}) {
    EXPECT_EQ(parse_instruction_set(to_string(set)), set);
  }
  EXPECT_EQ(parse_instruction_set("MMX"), std::nullopt);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(CoreClock, IsPlausible) {
  // On a busy machine, too, a chain is not faster than the core. 10 GHz has never been reached, and
  // a chain with folded additions would run at three times the clock or more.
  const double clock_hz = measure_core_clock_hz();
  EXPECT_GT(clock_hz, 10e6);
  EXPECT_LT(clock_hz, 10e9);
}
#endif

}  // namespace
}  // namespace mansard::kernels
