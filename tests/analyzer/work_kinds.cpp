// SPDX-License-Identifier: Apache-2.0
// Work is assigned to the launches it was annotated or counted for, even if signatures are equal.
#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/launch_work.h"
#include "tests/analyzer/counter_names.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using namespace test;

class WorkKindsTest : public testing::Test {
 protected:
  WorkKindsTest() { b.profile().gpus[0].compute_major = 9; }

  void reading(std::int64_t start_ns, double duration_ns,
               const std::vector<std::pair<const char*, double>>& values) {
    store::CounterReading r;
    r.demangled_name = b.intern("k");
    r.grid = {1, 1, 1};
    r.block = {128, 1, 1};
    r.start_ns = start_ns;
    r.correlation_id = ++correlation_;
    b.call(start_ns, "cudaLaunchKernel", r.correlation_id);
    r.values.emplace_back(b.intern("gpu__time_duration.sum"), duration_ns);
    for (const auto& [metric, value] : values) r.values.emplace_back(b.intern(metric), value);
    b.profile().counter_readings.push_back(r);
  }

  RunAnalysis analyzed() { return analyze_run(b.build(), {test_machine()}); }

  ProfileBuilder b;
  std::int64_t correlation_ = 1'000'000;
};

TEST_F(WorkKindsTest, DifferentAnnotatedWorkGivesSeparateRows) {
  // A persistent kernel: a product of 1e6 FLOP in 10 ns, one of 4e6 FLOP in 40 ns, both 1e14
  // FLOP/s.
  for (int i = 0; i < 3; ++i) {
    const std::int64_t t = 1000 * i;
    b.range(t, t + 100, "small | flop=1e6 precision=bf16 shape=10x10");
    b.launch(t + 10, t + 200, t + 210, "k");
    b.range(t + 100, t + 190, "large | flop=4e6 precision=bf16 shape=20x20");
    b.launch(t + 110, t + 300, t + 340, "k");
  }
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 2u);
  EXPECT_EQ(run.rows[0].shape, "20x20");
  EXPECT_DOUBLE_EQ(run.rows[0].work.total_flop() / run.rows[0].time_s, 1e14);
  EXPECT_EQ(run.rows[1].shape, "10x10");
  EXPECT_DOUBLE_EQ(run.rows[1].work.total_flop() / run.rows[1].time_s, 1e14);
  const LaunchWork works(run, kernel_rules());
  for (std::size_t i = 0; i < run.profile.kernels.size(); ++i) {
    const store::KernelRecord& k = run.profile.kernels[i];
    const double time_s = 1e-9 * static_cast<double>(k.end_ns - k.start_ns);
    EXPECT_DOUBLE_EQ(works.work(i).total_flop() / time_s, 1e14);
  }
}

TEST_F(WorkKindsTest, CountsApplyToLaunchesWithTheSameAnnotation) {
  // The group with L2 was read in the small product only, the one with HBM in each.
  b.range(100, 190, "small | flop=1e6 precision=bf16");
  reading(110, 10, {{kHbmCounter, 1000}});
  b.range(200, 290, "large | flop=4e6 precision=bf16");
  reading(210, 40, {{kHbmCounter, 4e6}});
  b.range(300, 390, "small | flop=1e6 precision=bf16");
  reading(310, 10, {{kL2Counter, 100}});
  b.range(1000, 1090, "small | flop=1e6 precision=bf16");
  b.launch(1010, 2000, 2010, "k");
  b.range(1100, 1190, "large | flop=4e6 precision=bf16");
  b.launch(1110, 3000, 3040, "k");
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 2u);
  const KernelRow& large = run.rows[0];
  const KernelRow& small = run.rows[1];
  EXPECT_DOUBLE_EQ(large.work.bytes.at(MemoryLevel::hbm), 4e6);
  EXPECT_DOUBLE_EQ(small.work.bytes.at(MemoryLevel::hbm), 1000);
  EXPECT_DOUBLE_EQ(small.work.bytes.at(MemoryLevel::l2), 3200);
  // L2 bytes were read for the small launch only, so no difference between launches is known.
  EXPECT_DOUBLE_EQ(large.work.bytes.at(MemoryLevel::l2), 3200);
}

TEST_F(WorkKindsTest, WithoutAnnotationsThePlaceInTheStepDistinguishesLaunches) {
  // Each step launches "k" for 100 ns and again for 300 ns. In the first step the two are read for
  // HBM, in the second for FLOPs; each launch has what was read at its place.
  std::int64_t t = 1000;
  const auto read_step = [&](int n, const char* metric, double first, double second) {
    b.range(t, t + 5000, "step " + std::to_string(n));
    reading(t + 100, 100, {{metric, first}});
    reading(t + 2000, 300, {{metric, second}});
    b.launch(t + 3000, t + 3100, t + 3200, "end");
    t += 5000;
  };
  read_step(0, kHbmCounter, 1e6, 3e6);
  read_step(1, kBf16Counter, 1e7, 9e7);
  for (int n = 2; n < 6; ++n) {
    b.range(t, t + 1000, "step " + std::to_string(n));
    b.launch(t + 10, t + 100, t + 200, "k");
    b.launch(t + 20, t + 200, t + 500, "k");
    b.launch(t + 30, t + 500, t + 600, "end");
    t += 1000;
  }
  const RunAnalysis run = analyzed();
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : run.rows) {
    if (row.name == "k") rows.push_back(&row);
  }
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->origin, WorkOrigin::counted);
  EXPECT_FALSE(rows[0]->work_is_mean);
  // Four launches each.
  EXPECT_DOUBLE_EQ(rows[0]->work.bytes.at(MemoryLevel::hbm), 4 * 3e6);
  EXPECT_DOUBLE_EQ(rows[0]->work.flop.at(Precision::bf16), 4 * 9e7);
  EXPECT_DOUBLE_EQ(rows[1]->work.bytes.at(MemoryLevel::hbm), 4 * 1e6);
  EXPECT_DOUBLE_EQ(rows[1]->work.flop.at(Precision::bf16), 4 * 1e7);
}

TEST_F(WorkKindsTest, IndistinguishableLaunchesHaveMeanWork) {
  b.launch(10, 100, 200, "k");
  b.launch(20, 200, 500, "k");
  reading(1, 100, {{kHbmCounter, 1e6}});
  reading(2, 300, {{kHbmCounter, 5e6}});
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].origin, WorkOrigin::counted);
  // HBM bytes depend on caches and do not distinguish shapes, but a duration three times as long
  // does.
  EXPECT_TRUE(run.rows[0].work_is_mean);

  b.profile().counter_readings.clear();
  reading(1, 100, {{kL2Counter, 1e6}});
  reading(2, 300, {{kL2Counter, 5e6}});
  const RunAnalysis varied = analyzed();
  EXPECT_EQ(varied.rows[0].origin, WorkOrigin::counted_rate);
  EXPECT_TRUE(varied.rows[0].work_is_mean);
  // 6e6 sectors of 32 B in 400 ns; the launches took 100 and 300 ns.
  EXPECT_DOUBLE_EQ(varied.rows[0].work.bytes.at(MemoryLevel::l2), 6e6 * 32);
  const LaunchWork works(varied, kernel_rules());
  EXPECT_TRUE(works.work(0).bytes.empty());
}

TEST_F(WorkKindsTest, KernelsThatMoveDataHaveNoFlops) {
  // The counters include arithmetic that a cast executes, which is not work of the model.
  b.launch(10, 100, 200, "void cast_kernel<float, bfloat16>");
  store::CounterReading r;
  r.demangled_name = b.intern("void cast_kernel<float, bfloat16>");
  r.grid = {1, 1, 1};
  r.block = {128, 1, 1};
  r.values = {{b.intern("gpu__time_duration.sum"), 100},
              {b.intern(kHbmCounter), 1e6},
              {b.intern("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 1e6}};
  b.profile().counter_readings.push_back(r);
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].operation_class, "cast");
  EXPECT_TRUE(run.rows[0].work.flop.empty());
  EXPECT_DOUBLE_EQ(run.rows[0].work.bytes.at(MemoryLevel::hbm), 1e6);
  EXPECT_EQ(run.rows[0].sol.bound_label, "HBM");
  EXPECT_TRUE(run.points.empty());
}

}  // namespace
}  // namespace mansard::analysis
