// SPDX-License-Identifier: Apache-2.0
#include "analyzer/run_analysis.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(AnalyzeRun, OneAnnotatedKernel) {
  // 1e12 BF16 FLOP and 5e9 B of HBM in 2 s. T_sol = max(1e12 / 1e12 = 1 s compute, 0.5 s HBM): so
  // compute-bound, slowdown 2. AI = 200 FLOP/B, rate 5e11 FLOP/s.
  ProfileBuilder b;
  b.range(0, 100, "fprop | flop=1e12 hbm=5e9 precision=bf16 class=gemm");
  b.launch(50, kSecond, 3 * kSecond, "void product<int>(float*)");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});

  EXPECT_EQ(run.title, "tiny");
  ASSERT_EQ(run.rows.size(), 1u);
  const analysis::KernelRow& row = run.rows[0];
  EXPECT_EQ(row.target, kernels::Target::cuda);
  EXPECT_EQ(row.short_name, "product");
  EXPECT_EQ(row.operation_class, "gemm");
  EXPECT_EQ(row.precision, Precision::bf16);
  EXPECT_EQ(row.origin, analysis::WorkOrigin::annotated);
  EXPECT_EQ(row.launches, 1);
  EXPECT_DOUBLE_EQ(row.time_s, 2.0);
  EXPECT_DOUBLE_EQ(row.share, 1.0);
  EXPECT_DOUBLE_EQ(row.work.flop.at(Precision::bf16), 1e12);
  EXPECT_DOUBLE_EQ(row.work.bytes.at(MemoryLevel::hbm), 5e9);
  EXPECT_DOUBLE_EQ(row.sol.time_s, 1.0);
  EXPECT_EQ(row.sol.bound, analysis::Bound::compute);
  ASSERT_TRUE(row.slowdown.has_value());
  EXPECT_DOUBLE_EQ(*row.slowdown, 2.0);
  ASSERT_EQ(run.points.size(), 1u);
  EXPECT_EQ(run.points[0].level, MemoryLevel::hbm);
  EXPECT_DOUBLE_EQ(run.points[0].intensity, 200.0);
  EXPECT_DOUBLE_EQ(run.points[0].flop_per_s, 5e11);
  EXPECT_DOUBLE_EQ(run.busy_s, 2.0);
  EXPECT_DOUBLE_EQ(run.span_s, 2.0);
  EXPECT_TRUE(run.notes.empty()) << run.notes.front();
}

TEST(AnalyzeRun, EmptyProfile) {
  const analysis::RunAnalysis run = analysis::analyze_run(store::Profile{}, {});
  EXPECT_TRUE(run.rows.empty());
  EXPECT_TRUE(run.points.empty());
  EXPECT_FALSE(run.machine.has_value());
  EXPECT_EQ(run.busy_s, 0.0);
  EXPECT_TRUE(has_note(run, "nothing to analyze"));
}

TEST(AnalyzeRun, GroupsBySignature) {
  ProfileBuilder b;
  b.kernel(100, 200, "k");
  b.kernel(300, 330, "k");
  b.kernel(400, 450, "k");
  b.kernel(500, 510, "k").grid = {2, 1, 1};
  b.kernel(600, 610, "k").block = {256, 1, 1};
  b.kernel(700, 710, "k").dynamic_shared_bytes = 48;
  store::KernelRecord& split = b.kernel(800, 810, "k");  // the same sum of static and dynamic
  split.static_shared_bytes = 16;
  split.dynamic_shared_bytes = 32;
  b.kernel(900, 905, "other name");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 5u);

  // Sorted by time: the first signature leads with 180 ns.
  const analysis::KernelRow& row = run.rows[0];
  EXPECT_EQ(row.launches, 3);
  EXPECT_DOUBLE_EQ(row.time_s, 180e-9);
  EXPECT_DOUBLE_EQ(row.min_s, 30e-9);
  EXPECT_DOUBLE_EQ(row.median_s, 50e-9);
  EXPECT_DOUBLE_EQ(row.max_s, 100e-9);
  EXPECT_EQ(row.launch_indices, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_DOUBLE_EQ(row.share, 180.0 / 225.0);
  EXPECT_EQ(run.rows[1].shared_bytes, 48);
  EXPECT_EQ(run.rows[1].launches, 2);
  for (std::size_t i = 1; i < run.rows.size(); ++i) {
    EXPECT_GE(run.rows[i - 1].time_s, run.rows[i].time_s);
  }
}

TEST(AnalyzeRun, MedianOfAnEvenNumberOfLaunches) {
  ProfileBuilder b;
  b.kernel(100, 140, "k");
  b.kernel(200, 210, "k");
  b.kernel(300, 320, "k");
  b.kernel(400, 430, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {});
  EXPECT_DOUBLE_EQ(run.rows.at(0).median_s, 25e-9);
  EXPECT_DOUBLE_EQ(run.rows[0].cost_s, 100e-9);  // known without any machine
}

TEST(AnalyzeRun, AnnotatedAndOtherLaunchesOfASignatureAreSeparateRows) {
  // Only the first launch has known work; mixing both would halve its rate.
  ProfileBuilder b;
  b.range(0, 10, "a | flop=1000 precision=bf16");
  b.launch(5, 100, 200, "k");
  b.launch(50, 300, 400, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 2u);
  EXPECT_EQ(find_row(run, "k", analysis::WorkOrigin::annotated)->launches, 1);
  const analysis::KernelRow* other = find_row(run, "k", analysis::WorkOrigin::none);
  EXPECT_EQ(other->launches, 1);
  EXPECT_EQ(other->sol.bound, analysis::Bound::unknown);
  EXPECT_FALSE(other->slowdown.has_value());
  EXPECT_TRUE(has_note(run, "50.0 %"));
}

TEST(AnalyzeRun, AnnotationsTakePrecedenceOverNames) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=10 precision=nvfp4 class=attention");
  b.launch(5, 100, 200, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT");
  b.launch(50, 300, 400, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 2u);
  const analysis::KernelRow& annotated =
      *find_row(run, run.rows[0].name, analysis::WorkOrigin::annotated);
  EXPECT_EQ(annotated.operation_class, "attention");
  EXPECT_EQ(annotated.precision, Precision::nvfp4);
  const analysis::KernelRow& plain = *find_row(run, run.rows[0].name, analysis::WorkOrigin::none);
  EXPECT_EQ(plain.operation_class, "gemm");
  EXPECT_EQ(plain.precision, Precision::bf16);
}

// A program annotates its layer; inside, calls of a library have work from their shapes.
TEST(AnalyzeRun, StatedWorkTakesPrecedenceOverCallsInside) {
  ProfileBuilder b;
  b.range(0, 100, "layer | flop=1e12 precision=bf16");
  b.range(40, 60, "cublasGemmEx | flop=7e11 precision=fp16 class=gemm source=model");
  b.launch(50, kSecond, 2 * kSecond, "k");
  b.range(200, 300, "step 1");
  b.range(240, 260, "cublasGemmEx | flop=7e11 precision=fp16 class=gemm source=model");
  b.launch(250, 3 * kSecond, 4 * kSecond, "k");
  // Without a launch: neither host work nor lost.
  b.range(400, 410, "aten::add | hbm=1e6 source=model");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 2u);
  const auto* stated = find_row(run, "k", analysis::WorkOrigin::annotated);
  ASSERT_NE(stated, nullptr);
  EXPECT_DOUBLE_EQ(stated->work.flop.at(Precision::bf16), 1e12);
  const auto* modeled = find_row(run, "k", analysis::WorkOrigin::modeled);
  ASSERT_NE(modeled, nullptr);
  EXPECT_DOUBLE_EQ(modeled->work.flop.at(Precision::fp16), 7e11);
  EXPECT_TRUE(has_note(
      run, "All of a step's kernel time is in kernels whose FLOPs and bytes were computed"));
}

TEST(AnalyzeRun, TheKernelNameGivesAMissingPrecision) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=10 class=gemm");
  b.launch(5, 100, 200, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT");
  b.range(20, 30, "y | flop=10");
  b.launch(25, 300, 400, "my_kernel");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  for (const analysis::KernelRow& row : run.rows) {
    const bool named = row.operation_class == "gemm";
    EXPECT_EQ(row.work.flop.count(named ? Precision::bf16 : Precision::fp32), 1u) << row.name;
  }
  EXPECT_TRUE(has_note(run, "1 annotated range"));
}

TEST(AnalyzeRun, LaunchBoundKernels) {
  // Ten kernels of 0.5 us with little work: ten launches take at least 10 us.
  ProfileBuilder b;
  b.range(0, 100, "tiny | flop=10 hbm=10 precision=fp32");
  for (int i = 0; i < 10; ++i) b.launch(5 * i + 1, 1000 + 2000 * i, 1500 + 2000 * i, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].sol.bound, analysis::Bound::launch);
  EXPECT_DOUBLE_EQ(run.rows[0].sol.time_s, 10e-6);
  // They ran for 5 us, but launching ten kernels takes 10 us, so faster kernels save nothing.
  EXPECT_NEAR(run.rows[0].time_s, 5e-6, 1e-15);
  EXPECT_NEAR(run.rows[0].cost_s, 10e-6, 1e-15);
  EXPECT_NEAR(*run.rows[0].slowdown, 1.0, 1e-12);
}

TEST(AnalyzeRun, GraphNodesAreNotLaunchesInAStream) {
  ProfileBuilder b;
  b.kernel(100, 200, "k").graph_node_id = 5;
  b.kernel(300, 400, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].launches, 2);
  EXPECT_EQ(run.rows[0].work.launches, 1);
  EXPECT_TRUE(has_note(run, "CUDA graphs"));
}

TEST(AnalyzeRun, ZeroDurationKernelsHaveNoRate) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=100 hbm=10 precision=bf16");
  b.launch(5, 100, 100, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].time_s, 0.0);
  EXPECT_EQ(run.rows[0].share, 0.0);
  EXPECT_DOUBLE_EQ(run.rows[0].work.total_flop(), 100.0);
  EXPECT_TRUE(run.points.empty());
}

TEST(AnalyzeRun, AnnotationsWithoutAmountsGiveNoWork) {
  ProfileBuilder b;
  b.range(0, 10, "x | flop=0 hbm=0 class=copy");
  b.launch(5, 100, 200, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(run.rows.at(0).operation_class, "copy");
  EXPECT_EQ(run.rows[0].origin, analysis::WorkOrigin::none);
  EXPECT_FALSE(run.rows[0].slowdown.has_value());
  EXPECT_TRUE(run.points.empty());
}

TEST(AnalyzeRun, PointsNeedBytesAndFlop) {
  ProfileBuilder b;
  b.range(0, 10, "both | flop=100 hbm=10 l2=20 precision=bf16");
  b.launch(5, 100, 200, "a");
  b.range(20, 30, "flop only | flop=100 precision=bf16");
  b.launch(25, 300, 400, "b");
  b.range(40, 50, "bytes only | hbm=100");
  b.launch(45, 500, 600, "c");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.points.size(), 2u);
  for (const analysis::RooflinePoint& point : run.points) EXPECT_EQ(run.rows[point.row].name, "a");
}

}  // namespace
}  // namespace mansard::test
