// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"

#include <gtest/gtest.h>

#include "analyzer/compare/comparison_finding.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// 20 launches of "product" of `product_ns`, alternating by +-`jitter_ns`, and 20 of "mover" of 1
// ms.
RunAnalysis run_of(std::int64_t product_ns, std::int64_t jitter_ns = 0) {
  ProfileBuilder b;
  std::int64_t now = 0;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t duration = product_ns + (i % 2 == 0 ? jitter_ns : -jitter_ns);
    b.launch(now, now, now + duration, "gemm_product");
    now += duration;
    b.launch(now, now, now + kMs, "copy_mover");
    now += kMs;
  }
  return analyze_run(b.build(), {});
}

const KernelComparison& kernel(const RunComparison& c, const std::string& name) {
  for (const KernelComparison& k : c.kernels) {
    if (k.short_name == name) return k;
  }
  throw std::runtime_error("no kernel " + name);
}

bool has_note(const RunComparison& c, std::string_view part) {
  return std::any_of(c.notes.begin(), c.notes.end(),
                     [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

TEST(CompareRuns, TellsASlowerKernelFromTheOthers) {
  // A: 20 x 2 ms + 20 x 1 ms = 60 ms. B: 20 x 3 ms + 20 ms = 80 ms: one third more.
  const RunComparison c = compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  EXPECT_EQ(c.unit, "run");
  EXPECT_NEAR(c.busy_s.a, 0.060, 1e-12);
  EXPECT_NEAR(c.busy_s.b, 0.080, 1e-12);
  EXPECT_NEAR(*c.busy_s.relative(), 1.0 / 3, 1e-9);
  EXPECT_FALSE(c.busy_s.noise);  // one value on each side
  const KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_EQ(product.verdict, Verdict::slower);
  EXPECT_EQ(product.match, KernelMatch::signature);
  EXPECT_NEAR(product.time_s.difference(), 0.020, 1e-12);
  EXPECT_EQ(product.launches.a, 20);
  EXPECT_NEAR(product.launch_b.median_s, 0.003, 1e-12);
  EXPECT_EQ(kernel(c, "copy_mover").verdict, Verdict::within_noise);
  EXPECT_EQ(c.kernels.front().short_name, "gemm_product");  // the largest difference
  EXPECT_EQ(c.classes.front().operation_class, "gemm");
  EXPECT_NEAR(c.classes.front().time_s.difference(), 0.020, 1e-12);
  EXPECT_EQ(compare_runs(run_of(3 * kMs), run_of(2 * kMs)).kernels.front().verdict,
            Verdict::faster);
}

TEST(CompareRuns, NoiseIsNoRegression) {
  // 20 launches make 8 batches of 2 or 3. With +-0.4 ms about 2 ms, batches of two have the median
  // 2.0 ms and those of three 1.6 or 2.4 ms (20 / 8 = 2.5: every other batch has three). Away from
  // the median of all (2.0): 0, .4, 0, .4, ...: MAD = 0.2, error = 1.2533 * 1.4826 * 0.2 / sqrt(8)
  // = 0.1314 ms; the noise of a difference is 3 * sqrt(2) * 0.1314 = 0.557 ms.
  const KernelComparison small =
      kernel(compare_runs(run_of(2 * kMs, 400'000), run_of(2'500'000, 400'000)), "gemm_product");
  EXPECT_NEAR(*small.launch_a.error_s, 0.1314e-3, 1e-7);
  EXPECT_EQ(small.verdict, Verdict::within_noise);
  EXPECT_EQ(
      kernel(compare_runs(run_of(2 * kMs, 400'000), run_of(2'600'000, 400'000)), "gemm_product")
          .verdict,
      Verdict::slower);
  // Equal durations have no error of their own; half a per cent is noise all the same.
  EXPECT_EQ(kernel(compare_runs(run_of(2'000'000), run_of(2'009'000)), "gemm_product").verdict,
            Verdict::within_noise);
  EXPECT_EQ(kernel(compare_runs(run_of(2'000'000), run_of(2'011'000)), "gemm_product").verdict,
            Verdict::slower);
}

TEST(CompareRuns, OtherShapesMatchByNameAndTheRestIsAddedOrRemoved) {
  ProfileBuilder before;
  before.launch(0, 0, 4 * kMs, "gemm_product").grid = {8, 1, 1};
  before.launch(1, 4 * kMs, 5 * kMs, "old_softmax");
  ProfileBuilder after;
  after.launch(0, 0, 1 * kMs, "gemm_product").grid = {16, 1, 1};
  after.launch(1, 1 * kMs, 3 * kMs, "gemm_product").grid = {32, 1, 1};
  after.launch(2, 3 * kMs, 4 * kMs, "flash_fwd_new");
  const RunComparison c =
      compare_runs(analyze_run(before.build(), {}), analyze_run(after.build(), {}));
  ASSERT_EQ(c.kernels.size(), 3u);
  const KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_EQ(product.match, KernelMatch::name);
  EXPECT_NEAR(product.time_s.a, 0.004, 1e-12);
  EXPECT_NEAR(product.time_s.b, 0.003, 1e-12);                       // both of them
  EXPECT_NE(product.signature_b.find("32x1x1"), std::string::npos);  // the longer one
  // One launch against two: how long a launch takes cannot be told from noise, how many there are
  // can.
  EXPECT_EQ(product.verdict, Verdict::more_launches);
  EXPECT_EQ(kernel(c, "old_softmax").verdict, Verdict::removed);
  EXPECT_EQ(kernel(c, "flash_fwd_new").verdict, Verdict::added);
  EXPECT_FALSE(kernel(c, "flash_fwd_new").time_s.relative());
  // The sums of both sides are those of the runs.
  EXPECT_NEAR(c.kernel_s.a, 0.005, 1e-12);
  EXPECT_NEAR(c.kernel_s.b, 0.004, 1e-12);
}

// Steps of 10 ms, in each of which one kernel of `kernel_ns` is launched, and one kernel of 5 ms
// before all steps.
RunAnalysis stepped(int steps, std::int64_t kernel_ns, const std::string& name = "step ") {
  ProfileBuilder b;
  b.launch(0, 0, 5 * kMs, "gemm_warmup");
  for (int i = 0; i < steps; ++i) {
    const std::int64_t start = (10 + 10 * i) * kMs;
    b.range(start, start + 10 * kMs, name + std::to_string(i));
    // Launched on another thread, and still running when the step's range has ended.
    b.launch(start + 9 * kMs, start + 9 * kMs, start + 9 * kMs + kernel_ns, "gemm_product",
             kOtherThread);
  }
  return analyze_run(b.build(), {});
}

TEST(CompareRuns, StepsOfDifferentNumberCompareByStep) {
  const RunComparison c = compare_runs(stepped(4, 2 * kMs), stepped(7, 3 * kMs));
  EXPECT_EQ(c.unit, "step");
  EXPECT_EQ(c.units_a, 4);
  EXPECT_EQ(c.units_b, 7);
  EXPECT_NEAR(c.busy_s.a, 0.002, 1e-12);  // without the warm-up
  EXPECT_NEAR(c.busy_s.b, 0.003, 1e-12);
  EXPECT_NEAR(c.period_s.a, 0.010, 1e-12);
  EXPECT_TRUE(c.period_s.within_noise());
  EXPECT_FALSE(c.busy_s.within_noise());
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels.front().launches.a, 1);
  EXPECT_NEAR(c.kernels.front().time_s.difference(), 0.001, 1e-12);
  EXPECT_TRUE(has_note(c, "named 'step #': 4 and 7"));
}

TEST(CompareRuns, StepsMayHaveAnyNameButMustBeInBoth) {
  const RunAnalysis a = stepped(3, kMs, "epoch ");
  EXPECT_EQ(compare_runs(a, a).unit, "run");
  EXPECT_TRUE(has_note(compare_runs(a, a), "Whole runs are compared"));
  EXPECT_EQ(compare_runs(a, a, "epoch").unit, "step");
  try {
    compare_runs(a, stepped(3, kMs), "epoch");
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("begins with 'epoch'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("tiny.sqlite"), std::string::npos);
  }
}

TEST(CompareRuns, SaysWhatElseDiffers) {
  RunAnalysis a = run_of(kMs);
  RunAnalysis b = run_of(kMs);
  EXPECT_TRUE(has_note(compare_runs(a, b), "clocks of the GPUs are not known"));
  b.profile.gpus.front().name = "Other GPU";
  b.profile.session.state = RecordingState::interrupted;
  b.profile.session.dropped_events = 3;
  a.profile.session.command = "train --a";
  b.profile.session.command = "train --b";
  a.profile.session.driver_version = "570";
  b.profile.session.driver_version = "580";
  for (const auto& [run, hz] : {std::pair(&a, 2e9), std::pair(&b, 1.5e9)}) {
    DeviceStateSample& sample = run->profile.device_states.emplace_back();
    sample.sm_clock_hz = hz;
  }
  const RunComparison c = compare_runs(a, b);
  EXPECT_TRUE(has_note(c, "different GPUs: Test GPU and Other GPU"));
  EXPECT_TRUE(has_note(c, "Drivers differ: 570 and 580"));
  EXPECT_TRUE(has_note(c, "Commands differ"));
  EXPECT_TRUE(has_note(c, "Run B (tiny) was not recorded to its end"));
  EXPECT_TRUE(has_note(c, "lacks 3 events"));
  EXPECT_TRUE(has_note(c, "2.00 GHz and 1.50 GHz (75.0 %)"));
  b.profile.gpus.front().name = "Test GPU";
  b.profile.gpus.front().uuid = "GPU-2";
  EXPECT_TRUE(has_note(compare_runs(a, b), "different cards of one kind"));
}

TEST(CompareRuns, EmptyRunsCompareWithoutFigures) {
  const RunAnalysis empty = analyze_run(Profile{}, {});
  const RunComparison c = compare_runs(empty, empty);
  EXPECT_TRUE(c.kernels.empty());
  EXPECT_FALSE(c.busy_s.relative());
  EXPECT_TRUE(has_note(c, "holds no kernels"));
  EXPECT_FALSE(comparison_finding(c).summary.empty());
  EXPECT_TRUE(has_note(compare_runs(empty, run_of(kMs)), "Only one of the runs used a GPU"));
}

TEST(CompareRuns, EveryTableIsWellFormed) {
  const RunComparison c = compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  for (const Finding& finding :
       {comparison_finding(c), gate_finding(check_gate(c, {.total = 0.1, .kernel = 0.1}))}) {
    for (const Table& table : finding.tables) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
  }
}

TEST(RegressionGate, FailsOnWhatIsSlowerThanAllowed) {
  // Busy +33.3 %, gemm +50 %, copy 0.
  const RunComparison c = compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  const auto failed = [&](const GateLimits& limits) {
    std::vector<std::string> names;
    for (const GateCheck& check : check_gate(c, limits)) {
      if (check.failed) names.push_back(check.what);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(failed({.total = 0.3}), (Names{"busy time per run"}));
  EXPECT_EQ(failed({.total = 0.34}), Names());
  EXPECT_EQ(failed({.period = 0.3}), (Names{"span"}));
  EXPECT_EQ(failed({.kernel = 0.4}), (Names{"kernel gemm_product"}));
  EXPECT_EQ(failed({.kernel = 0.51}), Names());
  EXPECT_EQ(failed({.every_class = 0.4}), (Names{"class gemm"}));
  EXPECT_EQ(failed({.classes = {{"gemm", 0.4}}}), (Names{"class gemm"}));
  EXPECT_EQ(failed({.every_class = 0.4, .classes = {{"gemm", 0.6}}}), Names());
  EXPECT_THROW(check_gate(c, {.classes = {{"gem", 0.1}}}), std::runtime_error);
  EXPECT_EQ(describe(check_gate(c, {.total = 0.03}).front()),
            "busy time per run: +33.33 %, more than the 3.00 % allowed");
}

TEST(RegressionGate, FasterOrWithinNoiseIsNoFailure) {
  EXPECT_FALSE(
      check_gate(compare_runs(run_of(3 * kMs), run_of(2 * kMs)), {.total = 0.0}).front().failed);
  // +20 % of the median, but the launches scatter by as much (see NoiseIsNoRegression).
  const RunComparison noisy = compare_runs(run_of(2 * kMs, 400'000), run_of(2'400'000, 400'000));
  const std::vector<GateCheck> checks = check_gate(noisy, {.kernel = 0.05});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_FALSE(checks.front().failed);
  EXPECT_NE(describe(checks.front()).find("within noise"), std::string::npos);
}

TEST(RegressionGate, LittleKernelsAreNotJudged) {
  // The copy takes 0.1 % of the kernels' time and doubles.
  const auto run = [](std::int64_t copy_ns) {
    ProfileBuilder b;
    b.launch(0, 0, 100 * kMs, "gemm_product");
    b.launch(1, 200 * kMs, 200 * kMs + copy_ns, "copy_mover");
    return analyze_run(b.build(), {});
  };
  const RunComparison c = compare_runs(run(100'000), run(200'000));
  EXPECT_TRUE(check_gate(c, {.kernel = 0.1, .every_class = 0.1}).empty());
  // A class that is named is judged whatever its size.
  EXPECT_EQ(check_gate(c, {.classes = {{"copy", 0.1}}}).size(), 1u);
}

TEST(LaunchStatistics, OrderStatistics) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  const LaunchStatistics two = launch_statistics({1, 2});
  EXPECT_FALSE(two.error_s);
  EXPECT_FALSE(noise_of_difference(two, two));
  // One outlier of a hundred times moves neither the median nor the spread. Away from 2: 1, 1, 0,
  // 0, 98; their median is 1.
  const LaunchStatistics five = launch_statistics({1, 3, 2, 2, 100});
  EXPECT_EQ(five.median_s, 2);
  EXPECT_NEAR(five.spread_s, 1.4826, 1e-12);
}

}  // namespace
}  // namespace mansard::test
