// SPDX-License-Identifier: Apache-2.0
#include "analyzer/speed_of_light.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

analysis::WorkTotals work(double bf16_flop, double hbm_bytes, std::int64_t launches) {
  analysis::WorkTotals totals;
  totals.flop[Precision::bf16] = bf16_flop;
  totals.bytes[MemoryLevel::hbm] = hbm_bytes;
  totals.launches = launches;
  return totals;
}

// The machine's balance is 1e12 / 1e10 = 100 FLOP/B.

TEST(SpeedOfLight, ComputeBoundAboveTheMachineBalance) {
  // 2e12 FLOP / 1e12 = 2 s; 1e10 B / 1e10 = 1 s; 3 launches = 3 us.
  const analysis::SpeedOfLight sol = analysis::speed_of_light(work(2e12, 1e10, 3), test_gpu());
  EXPECT_DOUBLE_EQ(sol.time_s, 2.0);
  EXPECT_EQ(sol.bound, analysis::Bound::compute);
  EXPECT_EQ(sol.ceiling, "bf16_mma");
  EXPECT_EQ(sol.bound_label, "BF16");
  EXPECT_DOUBLE_EQ(sol.bandwidth_s.at(MemoryLevel::hbm), 1.0);
  EXPECT_DOUBLE_EQ(sol.launch_s, 3e-6);
  EXPECT_TRUE(sol.missing_ceilings.empty());
}

TEST(SpeedOfLight, BandwidthBoundBelowTheMachineBalance) {
  // 1e12 FLOP = 1 s; 3e10 B = 3 s.
  const analysis::SpeedOfLight sol = analysis::speed_of_light(work(1e12, 3e10, 1), test_gpu());
  EXPECT_DOUBLE_EQ(sol.time_s, 3.0);
  EXPECT_EQ(sol.bound, analysis::Bound::bandwidth);
  EXPECT_EQ(sol.ceiling, "hbm_copy");
  EXPECT_EQ(sol.bound_label, "HBM");
}

TEST(SpeedOfLight, TheSlowestTierBounds) {
  // HBM 1e10 B = 1 s; L2 8e10 B / 4e10 = 2 s.
  analysis::WorkTotals totals = work(0, 1e10, 0);
  totals.bytes[MemoryLevel::l2] = 8e10;
  const analysis::SpeedOfLight sol = analysis::speed_of_light(totals, test_gpu());
  EXPECT_DOUBLE_EQ(sol.time_s, 2.0);
  EXPECT_EQ(sol.bound_label, "L2");
}

TEST(SpeedOfLight, LaunchBoundWhenTheWorkIsTiny) {
  // 1e5 FLOP = 0.1 us, 1e3 B = 0.1 us, 2 launches = 2 us.
  const analysis::SpeedOfLight sol = analysis::speed_of_light(work(1e5, 1e3, 2), test_gpu());
  EXPECT_DOUBLE_EQ(sol.time_s, 2e-6);
  EXPECT_EQ(sol.bound, analysis::Bound::launch);
  EXPECT_EQ(sol.ceiling, "launch");
  EXPECT_EQ(sol.bound_label, "launch");
}

TEST(SpeedOfLight, PrecisionsOfTensorCoresAddUp) {
  // BF16 1e12 / 1e12 = 1 s, FP8 6e12 / 2e12 = 3 s: 4 s, mostly FP8. HBM 3.5e10 B = 3.5 s is longer
  // than each of them.
  analysis::WorkTotals totals = work(1e12, 3.5e10, 1);
  totals.flop[Precision::fp8_e4m3] = 6e12;
  const analysis::SpeedOfLight sol = analysis::speed_of_light(totals, test_gpu());
  EXPECT_DOUBLE_EQ(sol.compute_s, 4.0);
  EXPECT_DOUBLE_EQ(sol.time_s, 4.0);
  EXPECT_EQ(sol.bound, analysis::Bound::compute);
  EXPECT_EQ(sol.bound_label, "FP8 E4M3");
  EXPECT_EQ(sol.ceiling, "fp8_e4m3_mma");
}

// Attention: softmax on CUDA cores beside products on tensor cores.
TEST(SpeedOfLight, CudaCoresWorkBesideTensorCores) {
  // BF16 2e12 / 1e12 = 2 s; FP32 1e11 / 1e11 = 1 s, then 3 s.
  analysis::WorkTotals totals = work(2e12, 0, 1);
  totals.flop[Precision::fp32] = 1e11;
  const analysis::SpeedOfLight tensor = analysis::speed_of_light(totals, test_gpu());
  EXPECT_DOUBLE_EQ(tensor.time_s, 2.0);
  EXPECT_EQ(tensor.bound_label, "BF16");
  totals.flop[Precision::fp32] = 3e11;
  const analysis::SpeedOfLight cuda = analysis::speed_of_light(totals, test_gpu());
  EXPECT_DOUBLE_EQ(cuda.compute_s, 3.0);
  EXPECT_DOUBLE_EQ(cuda.time_s, 3.0);
  EXPECT_EQ(cuda.bound_label, "FP32");
}

// The vector units of a CPU compute in one precision at a time.
TEST(SpeedOfLight, PrecisionsOfACpuAddUp) {
  roofline::DeviceModel cpu = test_cpu();
  cpu.ceilings.push_back(compute_ceiling(Precision::fp64, 1e10));
  analysis::WorkTotals totals;
  totals.flop = {{Precision::fp32, 1e10}, {Precision::fp64, 2e10}};
  EXPECT_DOUBLE_EQ(analysis::speed_of_light(totals, cpu).time_s, 3.0);
}

TEST(SpeedOfLight, ListsMissingCeilingsAndUsesTheRest) {
  analysis::WorkTotals totals = work(0, 1e10, 4);
  totals.flop[Precision::nvfp4] = 1e12;
  totals.bytes[MemoryLevel::nvlink] = 1e12;
  totals.bytes[MemoryLevel::sm_fill] = 1e12;  // is bound by the L2, and has no ceiling to miss
  roofline::DeviceModel gpu = test_gpu();
  gpu.ceilings.pop_back();  // launch
  const analysis::SpeedOfLight sol = analysis::speed_of_light(totals, gpu);
  EXPECT_DOUBLE_EQ(sol.time_s, 1.0);
  EXPECT_EQ(sol.bound_label, "HBM");
  EXPECT_EQ(sol.missing_ceilings, (std::vector<std::string>{"NVFP4", "NVLink", "launch"}));
}

TEST(SpeedOfLight, NoWorkHasNoSolTime) {
  const analysis::SpeedOfLight sol = analysis::speed_of_light({}, test_gpu());
  EXPECT_EQ(sol.time_s, 0.0);
  EXPECT_EQ(sol.bound, analysis::Bound::unknown);
  EXPECT_TRUE(sol.bound_label.empty());
  EXPECT_TRUE(sol.missing_ceilings.empty());
}

TEST(SpeedOfLight, IgnoresAmountsAndCeilingsThatAreNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const analysis::SpeedOfLight sol = analysis::speed_of_light(work(kNan, kInfinity, 0), test_gpu());
  EXPECT_EQ(sol.time_s, 0.0);
  EXPECT_EQ(analysis::speed_of_light(work(-1e12, 0, 0), test_gpu()).time_s, 0.0);

  roofline::DeviceModel broken;
  broken.ceilings = {compute_ceiling(Precision::bf16, kNan), launch_ceiling(kInfinity)};
  const analysis::SpeedOfLight none = analysis::speed_of_light(work(1e12, 0, 1), broken);
  EXPECT_EQ(none.time_s, 0.0);
  EXPECT_EQ(none.missing_ceilings, (std::vector<std::string>{"BF16", "launch"}));
}

TEST(SpeedOfLight, HostWorkHasNoLaunchTerm) {
  analysis::WorkTotals totals;
  totals.flop[Precision::fp32] = 1e10;
  const analysis::SpeedOfLight sol = analysis::speed_of_light(totals, test_cpu());
  EXPECT_DOUBLE_EQ(sol.time_s, 1.0);
  EXPECT_EQ(sol.launch_s, 0.0);
  EXPECT_TRUE(sol.missing_ceilings.empty());
}

}  // namespace
}  // namespace mansard::test
