// SPDX-License-Identifier: Apache-2.0
// The clock at the power limit when a step's work changes, each answer derived by hand.
#include "analyzer/power_model.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/what_if.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::uint64_t kSoftwarePowerCap = 0x4;

struct Part {
  std::string kernel;
  std::int64_t ns;
};

// Four steps of the same kernels, one after the other without a gap, at 1.5 of 2 GHz and 700 W.
RunAnalysis limited(const std::vector<Part>& parts, std::uint64_t reasons = kSoftwarePowerCap,
                    int samples = 8) {
  ProfileBuilder b;
  std::int64_t now = 0;
  for (int i = 0; i < 4; ++i) {
    std::int64_t length = 0;
    for (const Part& part : parts) length += part.ns;
    b.range(now, now + length - 1, "step " + std::to_string(i));
    const std::int64_t start = now;
    for (const Part& part : parts) {
      b.launch(start, now, now + part.ns, part.kernel);
      now += part.ns;
    }
  }
  b.profile().gpus.front().clock_rate_hz = 2'000'000'000;
  for (int i = 0; i < samples; ++i) {
    DeviceStateSample& s = b.profile().device_states.emplace_back();
    s.timestamp_ns = now * i / samples;
    s.sm_clock_hz = 1.5e9;
    s.power_w = 700;
    s.clocks_event_reasons = reasons;
  }
  return analyze_run(b.build(), {});
}

PredictedStep predicted(const RunAnalysis& run, const std::string& kernel, RowChange change) {
  const RunUnit unit(run);
  std::vector<RowChange> changes(run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].name == kernel) changes[i] = change;
  }
  return PowerModel(run, unit).predict(changes);
}

TEST(PowerModel, KernelsThatUseTheMeanPowerLeaveTheClockAlone) {
  // Both are GEMMs: without one the other uses just the limit.
  const PredictedStep step = predicted(limited({{"gemm_a", 600'000}, {"gemm_b", 400'000}}),
                                       "gemm_b", {.time = 0, .energy = 0});
  EXPECT_NEAR(step.time_s, 600e-6, 1e-9);
  ASSERT_TRUE(step.clock_hz);
  EXPECT_NEAR(*step.clock_hz, 1.5e9, 1e3);
}

TEST(PowerModel, TheSameWorkInHalfTheTimeLowersTheClock) {
  // Above the static power all energy is of GEMMs: x^1.5 = 0.5 / x, so x = 0.5^0.4, and the step
  // takes 0.5 / x = 0.5^0.6 of 1 ms.
  const PredictedStep step =
      predicted(limited({{"gemm_a", 1'000'000}}), "gemm_a", {.time = 0.5, .energy = 1});
  EXPECT_NEAR(step.time_s, 1e-3 * std::pow(0.5, 0.6), 1e-9);
  EXPECT_NEAR(*step.clock_hz, 1.5e9 * std::pow(0.5, 0.4), 1e3);
}

TEST(PowerModel, WithoutAMemoryBoundKernelTheClockFalls) {
  // A memset uses 0.56 of the limit at any clock: 0.41 above the static power is all the memory's.
  // At 1 ms a step, of which it has 0.3: GEMMs use 0.85 - 0.3 x 0.41 = 0.727 in 0.7 ms. Without it
  // 0.727 x^1.5 = 0.85 x 0.7 / x: x^2.5 = 0.595 / 0.727.
  ProfileBuilder b;
  RunAnalysis run = limited({{"gemm_a", 700'000}, {"void at::memset_like", 300'000}});
  for (KernelRow& row : run.rows) {
    if (row.name != "gemm_a") row.operation_class = kMemsetClass;
  }
  const PredictedStep step = predicted(run, "void at::memset_like", {.time = 0, .energy = 0});
  const double x = std::pow(0.595 / 0.727, 0.4);
  EXPECT_NEAR(*step.clock_hz, 1.5e9 * x, 1e4);
  EXPECT_NEAR(step.time_s, 0.7e-3 / x, 1e-9);
  EXPECT_LT(step.low_s, step.time_s);
  EXPECT_GT(step.high_s, step.time_s);
}

TEST(PowerModel, TheClockIsAtMostTheHighest) {
  // Hardly any work is left: 2 GHz is what there is.
  const PredictedStep step =
      predicted(limited({{"gemm_a", 1'000'000}}), "gemm_a", {.time = 1, .energy = 0.01});
  EXPECT_NEAR(*step.clock_hz, 2e9, 1e3);
  EXPECT_NEAR(step.time_s, 1e-3 * 1.5 / 2, 1e-9);
}

TEST(PowerModel, BelowThePowerLimitTheClockStays) {
  for (const RunAnalysis& run :
       {limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 0),        // held down by nothing
        limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 0x20),     // by heat
        limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 4, 4)}) {  // hardly sampled
    const PredictedStep step = predicted(run, "softmax", {.time = 0, .energy = 0});
    EXPECT_FALSE(step.clock_hz);
    EXPECT_NEAR(step.time_s, 600e-6, 1e-9);
    EXPECT_FALSE(PowerModel(run, RunUnit(run)).why().empty());
  }
}

TEST(PowerModel, WhatIfSaysTheClockAndTheInterval) {
  const RunAnalysis run = limited({{"gemm_a", 600'000}, {"softmax_k", 400'000}});
  const Finding finding = what_if_finding(run, {parse_what_if("softmax=0")});
  EXPECT_NE(finding.summary.find("power limit: the SM clock would go from 1.50 GHz to"),
            std::string::npos)
      << finding.summary;
}

}  // namespace
}  // namespace mansard::test
