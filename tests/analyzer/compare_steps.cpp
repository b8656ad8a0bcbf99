// SPDX-License-Identifier: Apache-2.0
// Runs compared by their steps.
#include <gtest/gtest.h>

#include "analyzer/compare/comparison_finding.h"
#include "tests/analyzer/compared_runs.h"

namespace mansard::test {
namespace {

TEST(CompareSteps, ComparesDifferentNumbersOfSteps) {
  const analysis::RunComparison c =
      analysis::compare_runs(stepped(4, 2 * kMs), stepped(7, 3 * kMs));
  EXPECT_EQ(c.unit, "step");
  // The first step starts with its range and takes 11 ms (A) and 12 ms (B), the others 10 ms: the
  // first step of B is not typical.
  EXPECT_EQ(c.units_a, 4);
  EXPECT_EQ(c.units_b, 6);
  EXPECT_NEAR(c.busy_s.a, 0.002, 1e-12);  // without the warm-up
  EXPECT_NEAR(c.busy_s.b, 0.003, 1e-12);
  EXPECT_NEAR(c.period_s->a, 0.041 / 4, 1e-12);
  EXPECT_NEAR(c.period_s->b, 0.010, 1e-12);
  EXPECT_FALSE(c.busy_s.within_noise());
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels.front().launches.a, 1);
  EXPECT_NEAR(c.kernels.front().time_s.difference(), 0.001, 1e-12);
  EXPECT_TRUE(has_note(c, "'step #'"));
}

TEST(CompareSteps, NamedStepsMustBeInBothRuns) {
  const analysis::RunAnalysis a = stepped(3, kMs, "epoch ");
  EXPECT_EQ(analysis::compare_runs(a, a).unit, "run");
  EXPECT_TRUE(has_note(analysis::compare_runs(a, a), "whole runs are compared"));
  EXPECT_EQ(analysis::compare_runs(a, a, "epoch").unit, "step");
  try {
    analysis::compare_runs(a, stepped(3, kMs), "epoch");
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("starts with 'epoch'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("tiny.sqlite"), std::string::npos);
  }
}

// Two ranks, the second 7 ms later, with one kernel per step on separate devices.
TEST(CompareSteps, RanksHaveTheirOwnSteps) {
  constexpr std::int64_t kSecondThread = (std::int64_t{8} << 24) | 1;
  ProfileBuilder b;
  for (int i = 0; i < 6; ++i) {
    for (const auto& [device, late_ns, thread] :
         {std::tuple(0, std::int64_t{0}, kMainThread), {1, 7 * kMs, kSecondThread}}) {
      const std::int64_t start = (10 + 10 * i) * kMs + late_ns;
      b.range(start, start + 10 * kMs, "step " + std::to_string(i), thread);
      b.launch(start + kMs, start + kMs, start + (4 + 2 * device) * kMs, "gemm_product", thread)
          .device_id = device;
    }
  }
  const analysis::RunAnalysis ranks = analysis::analyze_run(b.build(), {});
  const analysis::RunComparison c = analysis::compare_runs(ranks, ranks);
  // The first step of each device is shorter: it starts with its first work.
  EXPECT_EQ(c.units_a, 10) << "of both devices";
  EXPECT_EQ(c.kernels.front().launches.a, 1) << "per step of one device";
  EXPECT_NEAR(c.kernels.front().time_s.a, 0.004, 1e-12) << "3 and 5 ms";
  EXPECT_NEAR(c.busy_s.a, 0.004, 1e-12) << "3 and 5 ms";
  EXPECT_NEAR(c.period_s->a, 0.010, 1e-12);
  const analysis::RunComparison named = analysis::compare_runs(ranks, ranks, "step");
  EXPECT_NEAR(named.busy_s.a, 0.004, 1e-12);
  EXPECT_EQ(named.kernels.front().launches.a, 1);
}

// The device runs behind the host. A kernel without a recorded API call belongs to the step of the
// previous kernel.
TEST(CompareSteps, KernelsWithoutApiCallsBelongToThePreviousStep) {
  constexpr std::int64_t kBehind_ns = 12 * kMs;
  ProfileBuilder b;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t start = (10 + 10 * i) * kMs;
    b.range(start, start + 10 * kMs, "step " + std::to_string(i));
    const std::int64_t runs = start + kBehind_ns;
    b.kernel(runs, runs + kMs,
             "gemm_first");  // before the first known kernel: belongs to the previous step
    b.launch(start + kMs, runs + 2 * kMs, runs + 3 * kMs, "norm");
    b.kernel(runs + 3 * kMs, runs + 6 * kMs, "gemm_product");
  }
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {});
  const analysis::RunComparison c = analysis::compare_runs(run, run);
  EXPECT_EQ(kernel(c, "norm").launches.a, 1);
  EXPECT_EQ(kernel(c, "gemm_product").launches.a, 1);
  EXPECT_EQ(kernel(c, "gemm_first").launches.a, 1);
  EXPECT_NEAR(c.busy_s.a, 0.005, 1e-12);
}

// Evaluation covers most of A and training most of B; training covers most of both together.
TEST(CompareSteps, UsesTheCommonKindThatCoversMostTime) {
  const auto run = [](int train_ms, int eval_ms, bool other) {
    ProfileBuilder b;
    std::int64_t now = kMs;
    const auto add = [&](const std::string& name, int length_ms) {
      b.range(now, now + length_ms * kMs, name);
      b.launch(now, now, now + kMs / 2, "gemm_product");
      now += length_ms * kMs;
    };
    for (int i = 0; i < 4; ++i) {
      add("train_step " + std::to_string(i), train_ms);
      add("eval_step " + std::to_string(i), eval_ms);
      if (other) add("warmup_step " + std::to_string(i), 100);
    }
    return analysis::analyze_run(b.build(), {});
  };
  const analysis::RunComparison c = analysis::compare_runs(run(10, 12, false), run(20, 4, false));
  EXPECT_EQ(c.unit, "step");
  EXPECT_TRUE(has_note(c, "'train_step "));  // 10 + 20 ms > 12 + 4 ms
  EXPECT_NEAR(c.busy_s.a, 1e-3, 1e-12) << "up to the next step, with the evaluation between";
  // A kind of only one run covers more time but is ignored.
  EXPECT_TRUE(
      has_note(analysis::compare_runs(run(10, 12, true), run(20, 4, false)), "'train_step "));
}

// Both runs also execute jit_load, which is not their step.
TEST(CompareSteps, ComparesXlaProgramsOfDifferentNames) {
  const auto program = [](const char* name, std::int64_t period) {
    ProfileBuilder builder;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t t = period * i;
      builder.range(t, t + 5, "XlaModule:#hlo_module=jit_load,program_id=1#");
      builder.range(t + 10, t + 90,
                    std::string("XlaModule:#hlo_module=") + name + ",program_id=2#");
      builder.launch(t + 20, t + 20, t + period, "my_kernel");
    }
    return analysis::analyze_run(builder.build(), {test_machine()});
  };
  const analysis::RunComparison c =
      analysis::compare_runs(program("jit_train", 1000), program("jit_train_v2", 900));
  EXPECT_EQ(c.unit, "step");
  ASSERT_TRUE(c.period_s);
  // The first of six steps starts with its range, 10 ns later than the others.
  EXPECT_NEAR(c.period_s->a, (6 * 1000 - 10) / 6e9, 1e-12);
  EXPECT_NEAR(c.period_s->b, (6 * 900 - 10) / 6e9, 1e-12);
}

TEST(CompareSteps, NoiseOfOneStepIsUnknown) {
  const analysis::RunComparison c =
      analysis::compare_runs(stepped(1, kMs), stepped(4, kMs), "step");
  EXPECT_EQ(c.unit, "step");
  ASSERT_TRUE(c.period_s);
  EXPECT_FALSE(c.period_s->noise);
}

// Steps of 10 ms with a kernel of 1 ms and a graph of `graph_ns`; two graphs alternate. The graph
// starts in the middle of the kernel.
analysis::RunAnalysis with_graphs(int steps, std::int64_t graph_ns) {
  ProfileBuilder b;
  for (int i = 0; i < steps; ++i) {
    const std::int64_t start = (10 + 10 * i) * kMs;
    b.range(start, start + 10 * kMs, "step " + std::to_string(i));
    b.launch(start, start + kMs, start + 2 * kMs, "gemm_product");
    store::GraphRecord& graph = b.profile().graphs.emplace_back();
    graph.start_ns = start + 3 * kMs / 2;
    graph.end_ns = graph.start_ns + graph_ns;
    graph.device_id = 0;
    graph.correlation_id = 1000 + i;
    graph.graph_exec_id = 5 + i % 2;
    b.call(start + kMs, "cudaGraphLaunch", graph.correlation_id);
  }
  return analysis::analyze_run(b.build(), {});
}

// Busy from 1 ms to 1.5 ms + the graph's time in each step: 3.5 and 4.5 ms.
TEST(CompareSteps, ComparesGraphsRecordedWithoutKernels) {
  const analysis::RunComparison c =
      analysis::compare_runs(with_graphs(6, 3 * kMs), with_graphs(6, 4 * kMs));
  EXPECT_NEAR(c.busy_s.a, 3.5e-3, 1e-12);
  EXPECT_NEAR(c.busy_s.b, 4.5e-3, 1e-12);
  const analysis::KernelComparison& graphs = kernel(c, "CUDA graphs");
  EXPECT_EQ(&graphs, &c.kernels.front());
  EXPECT_EQ(graphs.match, analysis::KernelMatch::signature);
  EXPECT_EQ(graphs.verdict, analysis::Verdict::slower);
  EXPECT_NEAR(graphs.time_s.a, 3e-3, 1e-12);
  EXPECT_NEAR(graphs.time_s.b, 4e-3, 1e-12);
  EXPECT_EQ(graphs.launches.a, 1);
  EXPECT_EQ(graphs.signature_a, "CUDA graphs");
  EXPECT_EQ(c.classes.front().operation_class, "CUDA graphs");
  EXPECT_NEAR(c.classes.front().time_s.difference(), 1e-3, 1e-12);
  EXPECT_NEAR(c.kernel_s.a, 4e-3, 1e-12);
  EXPECT_TRUE(has_note(c, "6 CUDA graph launches"));
  EXPECT_TRUE(has_note(c, "--cuda-graph-trace node"));
}

TEST(CompareSteps, ComparesGraphsInRepeatingSequences) {
  store::Profile a = with_graphs(6, 3 * kMs).profile;
  store::Profile b = with_graphs(6, 4 * kMs).profile;
  a.nvtx.clear();
  b.nvtx.clear();
  const analysis::RunComparison c =
      analysis::compare_runs(analysis::analyze_run(a, {}), analysis::analyze_run(b, {}));
  // A sequence of two graphs repeats: each takes 1 ms longer.
  EXPECT_EQ(c.unit, "step");
  EXPECT_NEAR(kernel(c, "CUDA graphs").time_s.difference(), 2e-3, 1e-12);
  EXPECT_NEAR(c.busy_s.difference(), 2e-3, 1e-12);
}

// Each step has a range "load" of `load_ns` inside a range that does 1 ms of other work.
analysis::RunAnalysis with_host_work(std::int64_t load_ns, bool with_kernels) {
  ProfileBuilder b;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t start = (10 + 10 * i) * kMs;
    b.range(start, start + 10 * kMs, "step " + std::to_string(i));
    b.range(start + kMs, start + 2 * kMs + load_ns, "prepare | dram=10");
    b.range(start + kMs + kMs / 2, start + kMs + kMs / 2 + load_ns, "load | dram=1000");
    if (with_kernels) b.launch(start, start, start + kMs, "gemm_product");
  }
  return analysis::analyze_run(b.build(), {});
}

TEST(CompareSteps, HostWorkBelongsToTheStepInWhichItStarts) {
  const analysis::RunComparison c =
      analysis::compare_runs(with_host_work(2 * kMs, true), with_host_work(4 * kMs, true));
  EXPECT_EQ(c.unit, "step");
  const analysis::KernelComparison& load = kernel(c, "load");
  EXPECT_EQ(load.launches.a, 1);
  EXPECT_NEAR(load.time_s.a, 2e-3, 1e-12);
  EXPECT_NEAR(load.time_s.b, 4e-3, 1e-12);
  EXPECT_EQ(load.verdict, analysis::Verdict::slower);
  EXPECT_NEAR(kernel(c, "prepare").time_s.a, 1e-3, 1e-12);  // without the range inside
  EXPECT_EQ(kernel(c, "prepare").verdict, analysis::Verdict::within_noise);
}

TEST(CompareSteps, ComparesCpuOnlyRuns) {
  const analysis::RunComparison c =
      analysis::compare_runs(with_host_work(2 * kMs, false), with_host_work(4 * kMs, false));
  EXPECT_EQ(c.unit, "step");
  EXPECT_NEAR(c.busy_s.a, 3e-3, 1e-12);
  EXPECT_NEAR(c.busy_s.b, 5e-3, 1e-12);
  EXPECT_NEAR(kernel(c, "load").time_s.difference(), 2e-3, 1e-12);
}

// GEMMs of 1 ms and 5 ms with one signature, such as a tile used with several K: the median of
// launches would represent only one of them.
TEST(CompareSteps, ComparesLaunchesOfSeveralSizesByStep) {
  const auto run = [](std::int64_t percent) {
    ProfileBuilder b;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t start = (10 + 20 * i) * kMs;
      b.range(start, start + 20 * kMs, "step " + std::to_string(i));
      b.launch(start, start, start + kMs, "gemm_product");
      b.launch(start, start + kMs, start + 2 * kMs, "gemm_product");
      b.launch(start, start + 5 * kMs, start + 5 * kMs + 5 * kMs * percent / 100, "gemm_product");
    }
    return analysis::analyze_run(b.build(), {});
  };
  const analysis::RunComparison c = analysis::compare_runs(run(100), run(110));
  const analysis::KernelComparison& product = kernel(c, "gemm_product");
  EXPECT_NEAR(product.launch_a.median_s, product.launch_b.median_s, 1e-12);
  EXPECT_NEAR(product.typical_s.a, 7.0e-3, 1e-12);
  EXPECT_NEAR(product.typical_s.b, 7.5e-3, 1e-12);
  EXPECT_EQ(product.verdict, analysis::Verdict::slower);
}

// A kernel in every other step: its typical time is scaled by the share of these steps.
TEST(CompareSteps, ScalesKernelsByTheirShareOfSteps) {
  ProfileBuilder b;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t start = (10 + 20 * i) * kMs;
    b.range(start, start + 20 * kMs, "step " + std::to_string(i));
    b.launch(start, start, start + kMs, "gemm_product");
    if (i % 2 == 0) b.launch(start, start + kMs, start + 3 * kMs, "copy_mover");
  }
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {});
  const analysis::RunComparison c = analysis::compare_runs(run, run);
  // Steps end with their last work: 3 ms, then alternately 18 and 22 ms. 6 steps are typical: one
  // of the first three, and all others, because they alternate. 2 of these have the kernel.
  EXPECT_EQ(c.units_a, 6);
  EXPECT_NEAR(kernel(c, "copy_mover").typical_s.a, 2e-3 * 2 / 6, 1e-12);
  EXPECT_NEAR(kernel(c, "copy_mover").time_s.a, 2e-3 * 2 / 6, 1e-12);
  EXPECT_EQ(kernel(c, "copy_mover").verdict, analysis::Verdict::too_few_samples);
}

TEST(CompareSteps, NeedsFourStepsForAVerdict) {
  EXPECT_EQ(analysis::compare_runs(stepped(3, 2 * kMs), stepped(3, 3 * kMs)).kernels.at(0).verdict,
            analysis::Verdict::too_few_samples);
  EXPECT_EQ(analysis::compare_runs(stepped(4, 2 * kMs), stepped(5, 3 * kMs)).kernels.at(0).verdict,
            analysis::Verdict::slower);
}

}  // namespace
}  // namespace mansard::test
