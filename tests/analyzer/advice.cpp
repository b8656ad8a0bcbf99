// SPDX-License-Identifier: Apache-2.0
// Each rule on a profile small enough to compute the saving by hand, and without evidence.
#include "analyzer/advice/advice.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::int64_t kUs = 1'000;

std::vector<analysis::Advice> advise(analysis::AdviceRule rule, const analysis::RunAnalysis& run) {
  return rule(run, analysis::RunUnit(run));
}

std::vector<analysis::Advice> advise_all(const analysis::RunAnalysis& run) {
  return analysis::all_advice(run, analysis::RunUnit(run));
}

// The saving of the first piece of advice; -1 if there is no advice, -2 if the saving is unknown.
double saving_s(const std::vector<analysis::Advice>& found) {
  return found.empty() ? -1 : found.front().saving_s.value_or(-2);
}

TEST(Advice, SlowKernelsAreFarBelowSpeedOfLight) {
  // T_sol of 1e9 FLOP in BF16 is 1 ms. The first kernel takes 4 ms, the second 1.2 ms.
  ProfileBuilder b;
  b.range(0, 10, "a | flop=1e9 precision=bf16");
  b.launch(5, 0, 4 * kMs, "gemm_slow");
  b.range(20, 30, "b | flop=1e9 precision=bf16");
  b.launch(25, 4 * kMs, 5'200 * kUs, "gemm_good");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  const std::vector<analysis::Advice> found = advise(analysis::advise_on_slow_kernels, run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(saving_s(found), 0.003, 1e-9);
  EXPECT_EQ(found.front().id, "slow_kernel");
  const analysis::KernelRow& slow = run.rows.at(found.front().rows.at(0));
  EXPECT_EQ(slow.name, "gemm_slow");
  EXPECT_EQ(slow.sol.bound_label, "BF16");
  EXPECT_NEAR(slow.slowdown.value(), 4, 1e-9);
  // Without a machine model there are no ceilings.
  analysis::RunAnalysis unknown = run;
  for (analysis::KernelRow& row : unknown.rows) row.slowdown.reset();
  EXPECT_TRUE(advise(analysis::advise_on_slow_kernels, unknown).empty());
}

// `count` kernels of 2 us with gaps of `gap_us`.
store::Profile short_kernels(int count, int gap_us, std::int64_t graph_node) {
  ProfileBuilder b;
  for (int i = 0; i < count; ++i) {
    const std::int64_t start = i * (2 + gap_us) * kUs;
    b.launch(start, start, start + 2 * kUs, "elementwise_add").graph_node_id = graph_node;
  }
  return b.build();
}

TEST(Advice, GapsAfterShortKernelsAreSaved) {
  // 200 kernels with 199 gaps of 3 us.
  const std::vector<analysis::Advice> found =
      advise(analysis::advise_on_launches, analysis::analyze_run(short_kernels(200, 3, 0), {}));
  EXPECT_NEAR(saving_s(found), 199 * 3e-6, 1e-12);
  EXPECT_NEAR(found.front().concerned_s, 200 * 2e-6, 1e-12);
  // No advice for graph nodes, few kernels, and gaps too long for a launch.
  EXPECT_TRUE(
      advise(analysis::advise_on_launches, analysis::analyze_run(short_kernels(200, 3, 7), {}))
          .empty());
  EXPECT_TRUE(
      advise(analysis::advise_on_launches, analysis::analyze_run(short_kernels(50, 3, 0), {}))
          .empty());
  EXPECT_TRUE(
      advise(analysis::advise_on_launches, analysis::analyze_run(short_kernels(200, 100, 0), {}))
          .empty());
}

// Two kernels of 1 and 3 ms, with a gap of `pause_ns`.
ProfileBuilder pair_of(const std::string& first, const std::string& second,
                       std::int64_t pause_ns = 0) {
  ProfileBuilder b;
  b.launch(0, 0, kMs, first);
  b.launch(1, kMs + pause_ns, 4 * kMs + pause_ns, second);
  return b;
}

TEST(Advice, ConversionsInSeveralPassesCanBeFused) {
  const auto advice = [](ProfileBuilder b) {
    return advise(analysis::advise_on_conversions, analysis::analyze_run(b.build(), {}));
  };
  // The fused kernel takes as long as the longer of the two: 1 ms saved.
  EXPECT_NEAR(saving_s(advice(pair_of("my_amax", "my_quantize"))), 0.001, 1e-12);
  EXPECT_TRUE(advice(pair_of("quantize_a", "quantize_b")).empty());     // two tensors
  EXPECT_TRUE(advice(pair_of("my_amax", "my_quantize", kMs)).empty());  // not adjacent
  EXPECT_TRUE(advice(pair_of("my_gemm", "my_quantize")).empty());
  ProfileBuilder other_stream = pair_of("my_amax", "my_quantize");
  other_stream.profile().kernels.back().stream_id = 9;
  EXPECT_TRUE(advice(other_stream).empty());
  // The amax of a second tensor starts another chain: 1 ms is saved in each.
  ProfileBuilder two = pair_of("my_amax", "my_quantize");
  two.launch(2, 4 * kMs, 5 * kMs, "my_amax");
  two.launch(3, 5 * kMs, 8 * kMs, "my_quantize");
  EXPECT_NEAR(saving_s(advice(two)), 0.002, 1e-12);
  // Ranges with the work of single kernels belong to the layer around them.
  ProfileBuilder layer;
  layer.range(0, 40, "layer");
  layer.range(1, 10, "amax | hbm=1e3");
  layer.launch(5, 0, kMs, "my_amax");
  layer.range(20, 30, "quantize | hbm=1e3");
  layer.launch(25, kMs, 4 * kMs, "my_quantize");
  EXPECT_NEAR(saving_s(advice(layer)), 0.001, 1e-12);
  // Two parts of the program: not passes over one tensor.
  ProfileBuilder ranges;
  ranges.range(0, 10, "a | hbm=1e3");
  ranges.launch(5, 0, kMs, "my_amax");
  ranges.range(20, 30, "b | hbm=1e3");
  ranges.launch(25, kMs, 4 * kMs, "my_quantize");
  EXPECT_TRUE(advice(ranges).empty());
}

TEST(Advice, ElementwiseChainsCanBeFused) {
  ProfileBuilder b = pair_of("elementwise_kernel_add", "silu_kernel");
  b.launch(2, 4 * kMs, 6 * kMs, "copy_kernel");
  // 1 + 3 + 2 ms - the longest, 3 ms.
  EXPECT_NEAR(saving_s(advise(analysis::advise_on_elementwise_chains,
                              analysis::analyze_run(b.build(), {}))),
              0.003, 1e-12);
  ProfileBuilder apart = pair_of("elementwise_kernel_add", "my_gemm");
  EXPECT_TRUE(
      advise(analysis::advise_on_elementwise_chains, analysis::analyze_run(apart.build(), {}))
          .empty());
}

TEST(Advice, HighPrecisionGemmsInALowPrecisionRun) {
  // 1 ms in FP8 and 3 ms in BF16. The FP8 ceiling is 2x the BF16 ceiling: half of 3 ms is saved.
  const analysis::RunAnalysis run = analysis::analyze_run(
      pair_of("nvjet_sm90_qqtst_128x128", "nvjet_sm90_tst_128x128").build(), {test_machine()});
  const std::vector<analysis::Advice> found = advise(analysis::advise_on_high_precision_gemms, run);
  EXPECT_NEAR(saving_s(found), 0.0015, 1e-12);
  EXPECT_NEAR(found.front().concerned_s, 0.003, 1e-12);
  EXPECT_NE(found.front().title.find("FP8 E4M3"), std::string::npos);
  // Without a machine model the saving is unknown.
  analysis::RunAnalysis no_machine = run;
  no_machine.machine.reset();
  EXPECT_EQ(saving_s(advise(analysis::advise_on_high_precision_gemms, no_machine)), -2);
  // No advice for runs in only BF16 or only FP8.
  for (const char* name : {"nvjet_sm90_tst_128x128", "nvjet_sm90_qqtst_128x128"}) {
    ProfileBuilder b;
    b.launch(0, 0, kMs, name);
    EXPECT_TRUE(advise(analysis::advise_on_high_precision_gemms,
                       analysis::analyze_run(b.build(), {test_machine()}))
                    .empty())
        << name;
  }
}

analysis::RunAnalysis run_at_clock(double mean_hz, std::optional<std::uint64_t> reasons) {
  ProfileBuilder b;
  b.launch(0, 0, 10 * kMs, "my_gemm");
  b.profile().gpus.front().clock_rate_hz = 2'000'000'000;
  store::DeviceStateSample& sample = b.profile().device_states.emplace_back();
  sample.sm_clock_hz = mean_hz;
  sample.clocks_event_reasons = reasons;
  return analysis::analyze_run(b.build(), {});
}

TEST(Advice, PowerLimitedClockCostsComputeBoundTime) {
  constexpr std::uint64_t kSoftwarePowerCap = 0x4;
  // 1.5 of 2 GHz: a quarter of 10 ms.
  EXPECT_NEAR(saving_s(advise(analysis::advise_on_power, run_at_clock(1.5e9, kSoftwarePowerCap))),
              0.0025, 1e-12);
  EXPECT_TRUE(advise(analysis::advise_on_power, run_at_clock(1.5e9, 0)).empty());  // no throttling
  EXPECT_TRUE(advise(analysis::advise_on_power, run_at_clock(1.5e9, std::nullopt)).empty());
  EXPECT_TRUE(advise(analysis::advise_on_power, run_at_clock(1.99e9, kSoftwarePowerCap)).empty());
  EXPECT_TRUE(
      advise(analysis::advise_on_power, analysis::analyze_run(store::Profile{}, {})).empty());
}

TEST(Advice, IdleTime) {
  // 4 ms of work and 6 ms of idle time.
  EXPECT_NEAR(saving_s(advise(analysis::advise_on_idle_time,
                              analysis::analyze_run(pair_of("a", "b", 6 * kMs).build(), {}))),
              0.006, 1e-12);
  EXPECT_TRUE(
      advise(analysis::advise_on_idle_time, analysis::analyze_run(pair_of("a", "b").build(), {}))
          .empty());
  // The gap between two recorded windows is not idle time of the program.
  ProfileBuilder windows = pair_of("a", "b", 6 * kMs);
  windows.profile().session.windows = {{0, kMs}, {7 * kMs, 10 * kMs}};
  EXPECT_TRUE(
      advise(analysis::advise_on_idle_time, analysis::analyze_run(windows.build(), {})).empty());
}

TEST(Advice, UnknownWork) {
  ProfileBuilder b;
  b.range(0, 10, "a | flop=1e9 precision=bf16");
  b.launch(5, 0, 9 * kMs, "my_gemm");
  b.launch(15, 9 * kMs, 10 * kMs, "my_softmax");
  EXPECT_TRUE(
      advise(analysis::advise_on_unknown_work, analysis::analyze_run(b.build(), {test_machine()}))
          .empty());  // 10 %
  b.launch(16, 10 * kMs, 15 * kMs, "my_other");
  const std::vector<analysis::Advice> found =
      advise(analysis::advise_on_unknown_work, analysis::analyze_run(b.build(), {test_machine()}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found.front().saving_s);
  EXPECT_NEAR(found.front().concerned_s, 0.006, 1e-12);
}

TEST(Advice, IsSortedBySavingWithUnknownLast) {
  // Savings: idle time 6 ms, conversions 1 ms, unknown work: not available.
  const std::vector<analysis::Advice> all = advise_all([] {
    ProfileBuilder b = pair_of("my_amax", "my_quantize");
    b.launch(2, 10 * kMs, 11 * kMs, "my_softmax");
    return analysis::analyze_run(b.build(), {});
  }());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].id, "idle_time");
  EXPECT_EQ(all[1].id, "conversions");
  EXPECT_EQ(all[2].id, "unknown_work");
  EXPECT_TRUE(advise_all(analysis::analyze_run(store::Profile{}, {})).empty());
}

}  // namespace
}  // namespace mansard::test
