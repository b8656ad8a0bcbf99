// SPDX-License-Identifier: Apache-2.0
#include "analyzer/range_kinds.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

const analysis::RangeKind& kind(const std::vector<analysis::RangeKind>& kinds,
                                const std::string& name) {
  static const analysis::RangeKind kNone;
  for (const analysis::RangeKind& k : kinds) {
    if (k.name == name) return k;
  }
  return kNone;
}

// Two layers in a step, each with a GEMM of 1e6 FLOP and 5e3 B. Times: 10 and 30 us.
TEST(RangeKinds, CountKernelsLaunchedInThem) {
  ProfileBuilder builder;
  builder.range(0, 1000, "step 0");
  builder.range(10, 400, "layers.0.qkv").range(500, 900, "layers.1.qkv");
  builder.range(20, 300, "gemm | flop=1e6 hbm=5e3 precision=bf16");
  builder.range(520, 800, "gemm | flop=1e6 hbm=5e3 precision=bf16");
  builder.launch(30, 2000, 12000, "gemm_kernel");
  builder.launch(530, 12000, 42000, "gemm_kernel");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  const analysis::RangeKind& layers = kind(kinds, "layers.#.qkv");
  EXPECT_EQ(layers.ranges, 2);
  EXPECT_EQ(layers.kernels, 2);
  EXPECT_NEAR(layers.host_s, 790e-9, 1e-15);
  EXPECT_NEAR(layers.time_s, 40e-6, 1e-15);
  EXPECT_NEAR(layers.work.total_flop(), 2e6, 1e-6);
  EXPECT_NEAR(layers.work.bytes.at(MemoryLevel::hbm), 1e4, 1e-9);
  // 2e6 FLOP at 1e12 are 2 us, 1e4 B at 1e10 are 1 us, two launches at 1 us are 2.
  EXPECT_NEAR(layers.sol.time_s, 2e-6, 1e-15);
  const analysis::RangeKind& step = kind(kinds, "step #");
  EXPECT_EQ(step.kernels, 2);
  EXPECT_NEAR(step.work.total_flop(), 2e6, 1e-6);
}

// Steps of 1 ms; each launches a GEMM of 10 us, the first also 8 for warm-up, which makes it longer
// than a typical step.
TEST(RangeKinds, HaveValuesPerTypicalStep) {
  ProfileBuilder builder;
  for (int step = 0; step < 5; ++step) {
    const std::int64_t start = (step == 0 ? 0 : 2 + step) * kMs;
    builder.range(start, start + (step == 0 ? 3 : 1) * kMs, "step " + std::to_string(step));
    builder.range(start + 10, start + 900, "layer");
    for (int i = 0; i < (step == 0 ? 9 : 1); ++i) {
      const std::int64_t begin = start + 1000 + i * 100'000;
      builder.launch(start + 20 + i, begin, begin + 10'000, "gemm_kernel");
    }
  }
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  const analysis::RangeKind& layer = kind(kinds, "layer");
  EXPECT_EQ(layer.kernels, 13);
  EXPECT_NEAR(layer.time_s, 130e-6, 1e-12);
  EXPECT_DOUBLE_EQ(layer.step_kernels, 1);
  EXPECT_NEAR(layer.step_time_s, 10e-6, 1e-12);
}

// FP8 and BF16 together: 2e6 / 2e12 + 1e6 / 1e12 = 2 us.
TEST(RangeKinds, MixPrecisionsByTheirTimes) {
  ProfileBuilder builder;
  builder.range(0, 1000, "layer");
  builder.range(10, 100, "a | flop=2e6 precision=fp8_e4m3");
  builder.range(200, 300, "b | flop=1e6 precision=bf16");
  builder.launch(20, 2000, 12000, "gemm_a");
  builder.launch(210, 12000, 42000, "gemm_b");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_NEAR(kind(kinds, "layer").sol.compute_s, 2e-6, 1e-15);
}

// The backward pass runs on a separate thread, during the step of the main thread.
TEST(RangeKinds, IncludeLaunchesOfOtherThreadsInAStep) {
  ProfileBuilder builder;
  builder.range(0, 1000, "step 0").range(1000, 2000, "step 1");
  builder.range(100, 900, "backward").range(1100, 1900, "backward");
  builder.range(200, 300, "dgrad", kOtherThread);
  builder.launch(250, 2000, 3000, "my_kernel", kOtherThread);
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  for (const char* name : {"step #", "backward", "dgrad"}) {
    EXPECT_EQ(kind(kinds, name).kernels, 1) << name;
  }
}

// T_sol of 1e7 FLOP is 10 us; the 99 kernels with unknown work do not affect the slowdown.
TEST(RangeKinds, SolTimeIsThatOfTheKnownWork) {
  ProfileBuilder builder;
  builder.range(0, 10000, "layer");
  builder.range(10, 20, "gemm | flop=1e7 precision=bf16");
  builder.launch(15, 20000, 40000, "gemm_kernel");
  for (int i = 0; i < 99; ++i) builder.launch(100 + i, 40000 + 10 * i, 40005 + 10 * i, "my_kernel");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "layer").kernels, 100);
  EXPECT_NEAR(kind(kinds, "layer").sol.time_s, 10e-6, 1e-15);
}

TEST(RangeKinds, CountRangesAfterTheLastLaunchToo) {
  ProfileBuilder builder;
  for (int i = 0; i < 10; ++i) builder.range(100 * i, 100 * i + 90, "layer " + std::to_string(i));
  builder.launch(50, 2000, 3000, "my_kernel");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "layer #").ranges, 10);
  EXPECT_NEAR(kind(kinds, "layer #").host_s, 900e-9, 1e-15);
}

// The backward pass of each rank belongs to the step of its process.
TEST(RangeKinds, IncludeOtherThreadsOfTheSameProcess) {
  ProfileBuilder builder;
  for (const std::int64_t process : {7, 8}) {
    const std::int64_t main_thread = process << 24 | 1;
    builder.range(0, 1000, "step 0", main_thread).range(1000, 2000, "step 1", main_thread);
    builder.launch(250, 2000, 3000, "my_kernel", process << 24 | 2);
  }
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "step #").kernels, 2);
}

// An open range is always on top of the ended ones.
TEST(RangeKinds, NeedNotNest) {
  ProfileBuilder builder;
  builder.range(0, 100, "a", kMainThread, store::NvtxEventType::start_end);
  builder.range(50, 500, "b", kMainThread, store::NvtxEventType::start_end);
  builder.launch(60, 2000, 3000, "my_kernel");
  builder.launch(200, 3000, 4000, "my_kernel");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "a").kernels, 1);
  EXPECT_EQ(kind(kinds, "b").kernels, 2);
}

TEST(RangeKinds, CountAKernelOnceInNestedRangesOfOneKind) {
  ProfileBuilder builder;
  builder.range(0, 1000, "module").range(10, 900, "module");
  builder.launch(20, 2000, 3000, "my_kernel");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "module").kernels, 1);
  EXPECT_NEAR(kind(kinds, "module").time_s, 1e-6, 1e-15);
}

// Layers 9 and 10 in two steps. A step is not a layer, nor is a range whose number never recurs.
analysis::RangeKinds kinds_of_layers(std::int64_t layer_9_ns, std::int64_t layer_10_ns) {
  ProfileBuilder builder;
  for (int step = 0; step < 2; ++step) {
    const int start = 10000 * step;
    builder.range(start, start + 9000, "step " + std::to_string(step));
    builder.range(start + 5, start + 9, "batch " + std::to_string(70 + step));
    for (const int layer : {10, 9}) {
      const int at = start + 1000 * (layer - 8);
      builder.range(at, at + 900, "layers." + std::to_string(layer) + ".mlp | class=gemm");
      const int device = 100000 * (step + 1) + 20000 * (layer - 9);
      builder.launch(at + 10, device, device + (layer == 9 ? layer_9_ns : layer_10_ns),
                     "my_kernel");
    }
  }
  return analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()}));
}

TEST(RangeKinds, SeparateLayersByNumber) {
  const auto numbered = kinds_of_layers(2000, 5000).numbered;
  ASSERT_EQ(numbered.size(), 2u);
  EXPECT_EQ(numbered[0].name, "layers.9.mlp");
  EXPECT_EQ(numbered[1].name, "layers.10.mlp");
  EXPECT_NEAR(numbered[0].time_s, 4e-6, 1e-15);
  EXPECT_NEAR(numbered[1].time_s, 10e-6, 1e-15);
  for (const analysis::RangeKind& layer : numbered) {
    EXPECT_EQ(layer.ranges, 2);
    EXPECT_EQ(layer.kernels, 2);
  }
}

TEST(RangeKinds, LeaveOutLayersThatAreAlike) {
  const analysis::RangeKinds kinds = kinds_of_layers(2000, 2090);
  EXPECT_TRUE(kinds.numbered.empty());
  EXPECT_EQ(kind(kinds.kinds, "layers.#.mlp").kernels, 4);
}

// The layer runs once without a graph, is captured, and runs with each launch of the graph.
TEST(RangeKinds, CountEachLaunchOfAGraph) {
  ProfileBuilder builder;
  builder.range(0, 90, "step 0").range(10, 80, "layer");
  builder.launch(20, 5'000, 6'000, "my_kernel");
  builder.range(100, 190, "step 1");
  builder.call(110, "cudaStreamBeginCapture_v10000", 900).range(120, 130, "layer");
  builder.graph_node(125, 1).graph_node(126, 2);
  builder.call(140, "cudaStreamEndCapture_v10000", 901);
  for (const int launch : {150, 250, 350}) {
    if (launch > 150)
      builder.range(launch - 50, launch + 40, "step " + std::to_string(launch / 100));
    builder.call(launch, "cudaGraphLaunch_v10000", launch);
    for (const int node : {1, 2}) {
      store::KernelRecord& kernel = builder.kernel(100 * launch, 100 * launch + 1'000, "my_kernel");
      kernel.correlation_id = launch;
      kernel.graph_node_id = node;
    }
  }
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()})).kinds;
  EXPECT_EQ(kind(kinds, "layer").ranges, 4);
  EXPECT_EQ(kind(kinds, "layer").kernels, 7);
  EXPECT_NEAR(kind(kinds, "layer").time_s, 7e-6, 1e-15);
  EXPECT_EQ(kind(kinds, "step #").ranges, 4);
  EXPECT_EQ(kind(kinds, "step #").kernels, 7);
}

TEST(RangeKinds, ExcludeLaunchesOutsideRanges) {
  ProfileBuilder builder;
  builder.range(0, 10, "layer").range(50, -1, "open");
  builder.launch(20, 2000, 3000, "my_kernel");
  builder.kernel(3000, 4000, "of_no_call");
  const auto kinds =
      analysis::range_kinds(analysis::analyze_run(builder.build(), {test_machine()}));
  EXPECT_TRUE(kinds.kinds.empty());
  EXPECT_TRUE(kinds.numbered.empty());
}

}  // namespace
}  // namespace mansard::test
