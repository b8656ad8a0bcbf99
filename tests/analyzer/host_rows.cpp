// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(HostRows, TimeExcludesAnnotatedChildren) {
  // step 0..10 s holds gemm 2..5 s and gemm 6..8 s: 5 s of its own.
  // gemm: 2 x 1e10 FLOP in 5 s; T_sol = 2e10 / 1e10 = 2 s.
  ProfileBuilder b;
  b.range(0, 10 * kSecond, "step | flop=1e9 precision=fp32");
  b.range(2 * kSecond, 5 * kSecond, "gemm | flop=1e10 precision=fp32 class=gemm shape=64x64x64");
  b.range(6 * kSecond, 8 * kSecond, "gemm | flop=1e10 precision=fp32 class=gemm shape=64x64x64");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 2u);

  const analysis::KernelRow* gemm = find_row(run, "gemm 64x64x64");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->target, kernels::Target::host);
  EXPECT_EQ(gemm->short_name, "gemm");
  EXPECT_EQ(gemm->launches, 2);
  EXPECT_EQ(gemm->work.launches, 0);
  EXPECT_DOUBLE_EQ(gemm->time_s, 5.0);
  EXPECT_DOUBLE_EQ(gemm->min_s, 2.0);
  EXPECT_DOUBLE_EQ(gemm->max_s, 3.0);
  EXPECT_EQ(gemm->launch_indices, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_DOUBLE_EQ(*gemm->slowdown, 2.5);

  const analysis::KernelRow* step = find_row(run, "step");
  ASSERT_NE(step, nullptr);
  EXPECT_DOUBLE_EQ(step->time_s, 5.0);
  EXPECT_DOUBLE_EQ(step->work.total_flop(), 1e9);

  ASSERT_TRUE(run.machine.has_value());
  EXPECT_EQ(run.machine->device.name, "Test CPU");
  EXPECT_DOUBLE_EQ(run.busy_s, 10.0);
  EXPECT_DOUBLE_EQ(run.span_s, 10.0);
}

TEST(HostRows, ShapesAndPrecisionsAreSeparate) {
  ProfileBuilder b;
  b.range(0, 10, "gemm | flop=1 precision=fp32 shape=8x8x8");
  b.range(20, 30, "gemm | flop=1 precision=fp32 shape=16x16x16");
  b.range(40, 50, "gemm | flop=1 precision=fp64 shape=8x8x8");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(run.rows.size(), 3u);
}

TEST(HostRows, ThreadsAddTimeButOverlapInBusy) {
  // Two threads for 2 s each, half a second apart.
  ProfileBuilder b;
  b.range(0, 2 * kSecond, "work | flop=1 precision=fp32", kMainThread);
  b.range(kSecond / 2, 5 * kSecond / 2, "work | flop=1 precision=fp32", kOtherThread);
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(run.rows.at(0).time_s, 4.0);
  EXPECT_DOUBLE_EQ(run.busy_s, 2.5);
}

TEST(HostRows, UseCpuCeilingsInDeviceRuns) {
  // "load" 1 s on the host: 5e8 B of DRAM at 1e9 B/s = 0.5 s. "fprop" runs on the device.
  ProfileBuilder b;
  b.range(0, kSecond, "load | dram=5e8 flop=1 precision=fp32");
  b.range(2 * kSecond, 3 * kSecond, "fprop | flop=1e12 hbm=1e6 precision=bf16");
  b.launch(5 * kSecond / 2, 4 * kSecond, 6 * kSecond, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  const analysis::KernelRow* load = find_row(run, "load");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->sol.bound_label, "DRAM");
  EXPECT_DOUBLE_EQ(*load->slowdown, 2.0);
  EXPECT_EQ(find_row(run, "fprop"), nullptr);  // it is the kernel's row
  EXPECT_EQ(run.machine->device.name, "Test GPU");
  // The roofline is that of the GPU: host rows have no point.
  ASSERT_EQ(run.points.size(), 1u);
  EXPECT_EQ(run.rows[run.points[0].row].name, "k");
  EXPECT_DOUBLE_EQ(run.busy_s, 2.0);
}

TEST(HostRows, RangesThatCopyOrCaptureAreNotHostWork) {
  ProfileBuilder b;
  b.range(0, 10, "copy | hbm=100");
  b.call(5, "cudaMemcpyAsync_v3020", b.memcpy(100, 200).correlation_id);
  b.range(20, 30, "captured | flop=100");
  b.call(25, "cudaLaunchKernel_v7000", 999);  // no kernel record carries this id
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  ASSERT_EQ(run.rows.size(), 1u) << "the memcpy's own";
  EXPECT_EQ(run.rows[0].kind, analysis::RowKind::memcpy);
  EXPECT_TRUE(has_note(run, "2 annotated ranges"));
}

TEST(HostRows, WithoutApiCallsRangesOfAGpuRunAreNotHostWork) {
  ProfileBuilder b;
  b.range(0, 10, "fprop | flop=100");
  b.kernel(100, 200, "k");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(find_row(run, "fprop"), nullptr);
  EXPECT_TRUE(has_note(run, "has no CUDA API calls"));
}

}  // namespace
}  // namespace mansard::test
