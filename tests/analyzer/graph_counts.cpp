// SPDX-License-Identifier: Apache-2.0
// Counters of whole CUDA graphs, divided over their nodes.
#include "analyzer/counters/graph_counts.h"

#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using namespace test;

constexpr std::int32_t kGraph = 3;

class GraphCounters : public testing::Test {
 protected:
  GraphCounters() {
    b.profile().gpus[0].compute_major = 9;
    b.profile().gpus[0].compute_minor = 0;
  }

  // A launch of a graph of two GEMMs of 300 and 100 ns and a copy of 600 ns.
  void launch_graph(std::int64_t start) {
    const std::int64_t id = ++correlation;
    b.call(start, "cudaGraphLaunch", id);
    std::int64_t node = 0;
    std::int64_t now = start + 10;
    for (const auto& [name, time] :
         {std::pair("gemm_long", 300), {"gemm_short", 100}, {"copy", 600}}) {
      store::KernelRecord& kernel = b.kernel(now, now + time, name);
      kernel.correlation_id = id;
      kernel.graph_id = kGraph;
      kernel.graph_node_id = 100 + ++node;
      now += time;
    }
  }

  store::CounterReading reading(std::int64_t id, double bf16_flop, double hbm_bytes) {
    store::CounterReading r;
    r.start_ns = 1;
    r.correlation_id = id;
    r.values = {{b.intern("sm__ops_path_tensor_src_bf16_dst_fp32.sum"), bf16_flop},
                {b.intern("dram__bytes.sum"), hbm_bytes}};
    return r;
  }

  void read_graph(double bf16_flop, double hbm_bytes) {
    store::CounterReading r = reading(correlation, bf16_flop, hbm_bytes);
    r.graph_id = kGraph;
    b.profile().counter_readings.push_back(r);
  }

  static const KernelRow& row(const RunAnalysis& run, const std::string& name) {
    for (const KernelRow& row : run.rows) {
      if (row.name == name) return row;
    }
    throw std::out_of_range(name);
  }
  static double flop(const KernelRow& row) {
    const auto found = row.work.flop.find(Precision::bf16);
    return found != row.work.flop.end() ? found->second / static_cast<double>(row.launches) : 0;
  }
  static double hbm(const KernelRow& row) {
    return row.work.bytes.at(MemoryLevel::hbm) / static_cast<double>(row.launches);
  }

  ProfileBuilder b;
  std::int64_t correlation = 5000;
};

TEST_F(GraphCounters, FlopGoToGemmsAndBytesToAllByTime) {
  for (int i = 0; i < 3; ++i) launch_graph(10'000 * (i + 1));
  read_graph(8e6, 1000);
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_long")), 6e6);
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_short")), 2e6);
  EXPECT_DOUBLE_EQ(flop(row(run, "copy")), 0);
  EXPECT_DOUBLE_EQ(hbm(row(run, "gemm_long")), 300);
  EXPECT_DOUBLE_EQ(hbm(row(run, "copy")), 600);
  for (const KernelRow& of_graph : run.rows) {
    EXPECT_EQ(of_graph.origin, WorkOrigin::divided);
    EXPECT_TRUE(of_graph.work_is_mean) << "a single kernel's work is an estimate";
  }
}

TEST_F(GraphCounters, KernelsReadOutsideKeepTheirCounts) {
  launch_graph(10'000);
  launch_graph(20'000);
  read_graph(8e6, 1000);
  const store::KernelRecord& outside = b.launch(50'000, 50'010, 50'310, "gemm_long");
  store::CounterReading own = reading(outside.correlation_id, 5e6, 400);
  own.demangled_name = outside.demangled_name;
  own.grid = outside.grid;
  own.block = outside.block;
  b.profile().counter_readings.push_back(own);
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_long")), 5e6);
  EXPECT_EQ(row(run, "gemm_long").origin, WorkOrigin::counted);
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_short")), 3e6) << "the rest";
  EXPECT_DOUBLE_EQ(hbm(row(run, "gemm_short")), 600.0 * 100 / 700);
}

TEST_F(GraphCounters, ShapesTellTheShareOfAGemm) {
  launch_graph(10'000);
  launch_graph(20'000);
  read_graph(8e6, 1000);
  b.range(50'000, 50'020, "gemm | flop=5e6 hbm=100 source=model");
  b.launch(50'010, 50'100, 50'400, "gemm_long");
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_short")), 3e6) << "the rest";
  EXPECT_DOUBLE_EQ(hbm(row(run, "gemm_short")), 100.0 / 3) << "as many per second as gemm_long";
  EXPECT_DOUBLE_EQ(hbm(row(run, "copy")), 900 - 100.0 / 3);
}

TEST_F(GraphCounters, MemsetsOfTheGraphHaveTheirBytes) {
  launch_graph(10'000);
  store::MemsetRecord fill;
  fill.start_ns = 10'001;
  fill.end_ns = 10'005;
  fill.bytes = 200;
  fill.correlation_id = correlation;
  fill.graph_node_id = 999;
  b.profile().memsets.push_back(fill);
  read_graph(8e6, 1000);
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(hbm(row(run, "copy")), 480);
}

// A set of several groups has a reading for each.
TEST_F(GraphCounters, ReadingsOfOneGraphAreTakenTogether) {
  launch_graph(10'000);
  for (const char* metric : {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", "dram__bytes.sum"}) {
    store::CounterReading r = reading(correlation, 0, 0);
    r.values = {{b.intern(metric), 8e6}};
    r.graph_id = kGraph;
    b.profile().counter_readings.push_back(r);
  }
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  EXPECT_DOUBLE_EQ(flop(row(run, "gemm_long")), 6e6);
  EXPECT_DOUBLE_EQ(hbm(row(run, "copy")), 4.8e6);
}

TEST_F(GraphCounters, GraphsOfOtherDevicesHaveNone) {
  launch_graph(10'000);
  read_graph(8e6, 1000);
  b.profile().counter_readings[0].device_id = 1;
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  for (const KernelRow& of_graph : run.rows) EXPECT_EQ(of_graph.origin, WorkOrigin::none);
}

TEST_F(GraphCounters, OtherGraphsHaveNone) {
  launch_graph(10'000);
  read_graph(8e6, 1000);
  b.profile().counter_readings[0].graph_id = kGraph + 1;
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  for (const KernelRow& of_graph : run.rows) EXPECT_EQ(of_graph.origin, WorkOrigin::none);
}

// Which kernels of a graph are slow is not known from its counters, but how slow all of them are.
TEST_F(GraphCounters, AdviceIsOnTheWholeGraph) {
  launch_graph(1000);
  read_graph(1e3, 1e3);
  launch_graph(10'000);
  const RunAnalysis run = analyze_run(b.build(), {test_machine()});
  const RunUnit unit(run);
  EXPECT_TRUE(advise_on_slow_kernels(run, unit).empty());
  const std::vector<Advice> found = advise_on_graph_kernels(run, unit);
  ASSERT_EQ(found.size(), 1u);
  double saving_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) saving_s += unit.saving_s(i).value_or(0);
  EXPECT_GT(saving_s, 0);
  EXPECT_DOUBLE_EQ(found.front().saving_s.value(), saving_s);
  EXPECT_EQ(found.front().rows.size(), 3u);
  EXPECT_NE(found.front().remedy.find("without CUDA graphs"), std::string::npos);
}

}  // namespace
}  // namespace mansard::analysis
