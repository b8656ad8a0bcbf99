// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"

#include <gtest/gtest.h>

#include "analyzer/compare/comparison_finding.h"
#include "tests/analyzer/compared_runs.h"

namespace mansard::test {
namespace {

TEST(CompareRuns, FindsTheSlowerKernel) {
  // A: 20 x 2 ms + 20 x 1 ms = 60 ms. B: 20 x 3 ms + 20 ms = 80 ms: one third more.
  const analysis::RunComparison c = analysis::compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  EXPECT_EQ(c.unit, "run");
  EXPECT_NEAR(c.busy_s.a, 0.060, 1e-12);
  EXPECT_NEAR(c.busy_s.b, 0.080, 1e-12);
  EXPECT_NEAR(*c.busy_s.relative(), 1.0 / 3, 1e-9);
  EXPECT_FALSE(c.busy_s.noise);  // one value on each side
  const analysis::KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_EQ(product.verdict, analysis::Verdict::slower);
  EXPECT_EQ(product.match, analysis::KernelMatch::signature);
  EXPECT_NEAR(product.time_s.difference(), 0.020, 1e-12);
  EXPECT_EQ(product.launches.a, 20);
  EXPECT_NEAR(product.launch_b.median_s, 0.003, 1e-12);
  EXPECT_EQ(kernel(c, "copy_mover").verdict, analysis::Verdict::within_noise);
  EXPECT_EQ(c.kernels.front().short_name, "gemm_product");  // the largest difference
  EXPECT_EQ(c.classes.front().operation_class, "gemm");
  EXPECT_NEAR(c.classes.front().time_s.difference(), 0.020, 1e-12);
  EXPECT_EQ(analysis::compare_runs(run_of(3 * kMs), run_of(2 * kMs)).kernels.front().verdict,
            analysis::Verdict::faster);
}

TEST(CompareRuns, NoiseIsNotARegression) {
  // 20 launches make 8 batches of 2 or 3. With +-0.4 ms about 2 ms, batches of two have the median
  // 2.0 ms and those of three 1.6 or 2.4 ms (20 / 8 = 2.5: every other batch has three). Away from
  // the median of all (2.0): 0, .4, 0, .4, ...: MAD = 0.2, error = 1.2533 * 1.4826 * 0.2 / sqrt(8)
  // = 0.1314 ms. Of 8 batches in both runs 14 degrees of freedom allow 2.576 (1 + 4.2 / 12.5) =
  // 3.4415 errors: 3.4415 * sqrt(2) * 0.1314 = 0.6395 ms a launch, 12.79 ms of 20.
  const analysis::KernelComparison small = kernel(
      analysis::compare_runs(run_of(2 * kMs, 400'000), run_of(2'600'000, 400'000)), "gemm_product");
  EXPECT_NEAR(*small.typical_s.noise, 12.79e-3, 1e-5);
  EXPECT_NEAR(small.typical_s.difference(), 12e-3, 1e-9);
  EXPECT_EQ(small.verdict, analysis::Verdict::within_noise);
  EXPECT_EQ(kernel(analysis::compare_runs(run_of(2 * kMs, 400'000), run_of(2'650'000, 400'000)),
                   "gemm_product")
                .verdict,
            analysis::Verdict::slower);
  // Equal durations have an error of 0, but differences below 0.5 % are always noise.
  EXPECT_EQ(
      kernel(analysis::compare_runs(run_of(2'000'000), run_of(2'009'000)), "gemm_product").verdict,
      analysis::Verdict::within_noise);
  EXPECT_EQ(
      kernel(analysis::compare_runs(run_of(2'000'000), run_of(2'011'000)), "gemm_product").verdict,
      analysis::Verdict::slower);
}

// An outlier changes the sum, but neither verdict nor gate: 19 of 20 launches are equally fast.
TEST(CompareRuns, VerdictAndGateUseTheTypicalTime) {
  ProfileBuilder b;
  for (int i = 0; i < 20; ++i) {
    b.launch(10 * i * kMs, 10 * i * kMs, (10 * i + (i == 0 ? 9 : 2)) * kMs, "gemm_product");
  }
  const analysis::RunComparison c =
      analysis::compare_runs(run_of(2 * kMs), analysis::analyze_run(b.build(), {}));
  const analysis::KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_NEAR(product.time_s.a, 0.040, 1e-12);
  EXPECT_NEAR(product.time_s.b, 0.047, 1e-12);  // + 17.5 %
  EXPECT_NEAR(product.typical_s.a, 0.040, 1e-12);
  EXPECT_NEAR(product.typical_s.b, 0.040, 1e-12);
  EXPECT_EQ(product.verdict, analysis::Verdict::within_noise);
  EXPECT_TRUE(analysis::check_gate(c, {.kernel = 0.1}).empty());
}

// Twice the launches with 0.9x the duration: 1.8x the time, mainly from the number of launches.
TEST(CompareRuns, VerdictNamesTheMainCauseOfADifference) {
  const auto run = [](int launches, std::int64_t duration_ns) {
    ProfileBuilder b;
    for (int i = 0; i < launches; ++i) {
      b.launch(10 * i * kMs, 10 * i * kMs, 10 * i * kMs + duration_ns, "gemm_product");
    }
    return analysis::analyze_run(b.build(), {});
  };
  const auto verdict = [&](const analysis::RunAnalysis& a, const analysis::RunAnalysis& b) {
    return analysis::compare_runs(a, b).kernels.at(0).verdict;
  };
  EXPECT_EQ(verdict(run(10, 2 * kMs), run(20, 1'800'000)), analysis::Verdict::more_launches);
  EXPECT_EQ(verdict(run(20, 2 * kMs), run(10, 2'200'000)), analysis::Verdict::fewer_launches);
  // 11 launches instead of 10, each 3x as long.
  EXPECT_EQ(verdict(run(10, 2 * kMs), run(11, 6 * kMs)), analysis::Verdict::slower);
  EXPECT_EQ(verdict(run(11, 6 * kMs), run(10, 2 * kMs)), analysis::Verdict::faster);
}

// Two signatures matched by name, one after the other: in A, 20 launches of 2 ms and 20 of 6 ms; in
// B, 10 % longer. The noise is small, because the launches of each signature are equal.
TEST(CompareRuns, NoiseIsPerSignature) {
  const auto run = [](std::int64_t percent, std::int32_t grid) {
    ProfileBuilder b;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t duration_ns = (i < 20 ? 2 : 6) * kMs * percent / 100;
      store::KernelRecord& k =
          b.launch(10 * i * kMs, 10 * i * kMs, 10 * i * kMs + duration_ns, "gemm_x");
      k.grid = {i < 20 ? grid : grid + 1, 1, 1};
    }
    return analysis::analyze_run(b.build(), {});
  };
  const analysis::RunComparison c = analysis::compare_runs(run(100, 8), run(110, 16));
  ASSERT_EQ(c.kernels.size(), 1u);
  const analysis::KernelComparison& k = c.kernels.front();
  EXPECT_EQ(k.match, analysis::KernelMatch::name);
  EXPECT_NEAR(k.typical_s.a, 0.160, 1e-12);
  EXPECT_NEAR(k.typical_s.b, 0.176, 1e-12);
  EXPECT_NEAR(*k.typical_s.noise, analysis::kMinNoise * 0.160, 1e-12);
  EXPECT_EQ(k.verdict, analysis::Verdict::slower);
}

TEST(CompareRuns, MatchesByNameThenAddedOrRemoved) {
  ProfileBuilder before;
  before.launch(0, 0, 4 * kMs, "gemm_product").grid = {8, 1, 1};
  before.launch(1, 4 * kMs, 5 * kMs, "old_softmax");
  ProfileBuilder after;
  after.launch(0, 0, 1 * kMs, "gemm_product").grid = {16, 1, 1};
  after.launch(1, 1 * kMs, 3 * kMs, "gemm_product").grid = {32, 1, 1};
  after.launch(2, 3 * kMs, 4 * kMs, "flash_fwd_new");
  const analysis::RunComparison c = analysis::compare_runs(
      analysis::analyze_run(before.build(), {}), analysis::analyze_run(after.build(), {}));
  ASSERT_EQ(c.kernels.size(), 3u);
  const analysis::KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_EQ(product.match, analysis::KernelMatch::name);
  EXPECT_NEAR(product.time_s.a, 0.004, 1e-12);
  EXPECT_NEAR(product.time_s.b, 0.003, 1e-12);                       // both of them
  EXPECT_NE(product.signature_b.find("32x1x1"), std::string::npos);  // the longer one
  // One launch vs. two: too few samples for durations, but the number of launches differs.
  EXPECT_EQ(product.verdict, analysis::Verdict::more_launches);
  EXPECT_EQ(kernel(c, "old_softmax").verdict, analysis::Verdict::removed);
  EXPECT_EQ(kernel(c, "flash_fwd_new").verdict, analysis::Verdict::added);
  EXPECT_FALSE(kernel(c, "flash_fwd_new").time_s.relative());
  // The sums of both sides equal those of the runs.
  EXPECT_NEAR(c.kernel_s.a, 0.005, 1e-12);
  EXPECT_NEAR(c.kernel_s.b, 0.004, 1e-12);
}

TEST(CompareRuns, NotesOtherDifferences) {
  analysis::RunAnalysis a = run_of(kMs);
  analysis::RunAnalysis b = run_of(kMs);
  EXPECT_TRUE(has_note(analysis::compare_runs(a, b), "SM clocks were not sampled"));
  b.profile.gpus.front().name = "Other GPU";
  b.profile.session.state = store::RecordingState::interrupted;
  b.profile.session.dropped_events = 3;
  a.profile.session.command = "train --a";
  b.profile.session.command = "train --b";
  a.profile.session.driver_version = "570";
  b.profile.session.driver_version = "580";
  const analysis::RunComparison c = analysis::compare_runs(a, b);
  EXPECT_TRUE(has_note(c, "different GPUs: Test GPU and Other GPU"));
  EXPECT_TRUE(has_note(c, "570"));
  EXPECT_TRUE(has_note(c, "580"));
  EXPECT_TRUE(has_note(c, "Commands differ"));
  EXPECT_TRUE(has_note(c, "Run B (tiny) is incomplete: the recording did not finish"));
  EXPECT_TRUE(has_note(c, "3 events"));
  b.profile.gpus.front().name = "Test GPU";
  b.profile.gpus.front().uuid = "GPU-2";
  EXPECT_TRUE(has_note(analysis::compare_runs(a, b), "different cards of the same model"));
}

// Work of 1 s at 2 GHz takes 1.333 s at 1.5 GHz; work of 1 s at 1.5 GHz takes 0.75 s at 2 GHz.
TEST(CompareRuns, NotesDifferentClocks) {
  analysis::RunAnalysis a = run_of(kMs);
  analysis::RunAnalysis b = run_of(kMs);
  a.profile.device_states.emplace_back().sm_clock_hz = 2e9;
  b.profile.device_states.emplace_back().sm_clock_hz = 1.5e9;
  const analysis::RunComparison lower = analysis::compare_runs(a, b);
  for (const char* part : {"2.00 GHz in A", "1.50 GHz in B", "25.0 % lower", "33.3 % slower"}) {
    EXPECT_TRUE(has_note(lower, part)) << part;
  }
  const analysis::RunComparison higher = analysis::compare_runs(b, a);
  for (const char* part : {"1.50 GHz in A", "2.00 GHz in B", "33.3 % higher", "25.0 % faster"}) {
    EXPECT_TRUE(has_note(higher, part)) << part;
  }
  // Nearly equal clocks cost nothing.
  b.profile.device_states.back().sm_clock_hz = 1.99e9;
  const analysis::RunComparison alike = analysis::compare_runs(a, b);
  EXPECT_TRUE(has_note(alike, "2.00 GHz in A"));
  EXPECT_TRUE(has_note(alike, "1.99 GHz in B"));
  EXPECT_FALSE(has_note(alike, "%"));
  // The clock of an unused GPU is ignored.
  store::DeviceStateSample& idle = b.profile.device_states.emplace_back();
  idle.device_id = 5;
  idle.sm_clock_hz = 0.3e9;
  EXPECT_TRUE(has_note(analysis::compare_runs(a, b), "1.99 GHz in B"));
}

TEST(CompareRuns, ComparesOnlyKnownAndUsedGpus) {
  analysis::RunAnalysis a = run_of(kMs);
  analysis::RunAnalysis b = run_of(kMs);
  b.profile.gpus.front().uuid = "";
  EXPECT_FALSE(has_note(analysis::compare_runs(a, b), "different"));
  b.profile.gpus.front().name = "";
  EXPECT_FALSE(has_note(analysis::compare_runs(a, b), "different"));
  b.profile.gpus.clear();
  EXPECT_FALSE(has_note(analysis::compare_runs(a, b), "different"));
  // An unused GPU of the machine.
  b = run_of(kMs);
  store::GpuRecord& other = b.profile.gpus.emplace_back();
  other.id = 1;
  other.name = "Other GPU";
  other.uuid = "GPU-9";
  EXPECT_FALSE(has_note(analysis::compare_runs(a, b), "different"));
  for (store::KernelRecord& kernel : b.profile.kernels) kernel.device_id = 1;
  EXPECT_TRUE(has_note(analysis::compare_runs(a, b), "different GPUs: Test GPU and Other GPU"));
  b.profile.kernels.front().device_id = 0;
  EXPECT_TRUE(has_note(analysis::compare_runs(a, b), "1 in A, 2 in B"));
}

TEST(CompareRuns, ComparesEmptyRuns) {
  const analysis::RunAnalysis empty = analysis::analyze_run(store::Profile{}, {});
  const analysis::RunComparison c = analysis::compare_runs(empty, empty);
  EXPECT_TRUE(c.kernels.empty());
  EXPECT_FALSE(c.busy_s.relative());
  EXPECT_TRUE(has_note(c, "contains no kernels"));
  EXPECT_FALSE(analysis::comparison_finding(c).summary.empty());
  EXPECT_TRUE(
      has_note(analysis::compare_runs(empty, run_of(kMs)), "Only one of the runs used a GPU"));
}

TEST(CompareRuns, EveryTableIsWellFormed) {
  const analysis::RunComparison c = analysis::compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  for (const analysis::Finding& finding :
       {analysis::comparison_finding(c),
        analysis::gate_finding(analysis::check_gate(c, {.total = 0.1, .kernel = 0.1}))}) {
    for (const analysis::Table& table : finding.tables) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
  }
}

}  // namespace
}  // namespace mansard::test
