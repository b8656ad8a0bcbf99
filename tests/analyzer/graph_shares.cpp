// SPDX-License-Identifier: Apache-2.0
// Work of the nodes of CUDA graphs, from launches of the same kernels outside of graphs.
#include "analyzer/attribution/graph_shares.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "analyzer/launch_work.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// FLOPs of each launch in the order of Profile::kernels, as attributed; 0: unknown.
std::vector<double> flop_of_launches(ProfileBuilder& builder) {
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {test_machine()});
  const analysis::LaunchWork work(run, analysis::kernel_rules());
  std::vector<double> flop;
  for (std::size_t i = 0; i < run.profile.kernels.size(); ++i) {
    double sum = 0;
    for (const auto& [precision, of_precision] : work.work(i).flop) sum += of_precision;
    flop.push_back(sum);
  }
  return flop;
}

void modeled(ProfileBuilder& builder, std::int64_t t, const char* name, double flop) {
  char text[100];
  std::snprintf(text, sizeof text, "aten::mm | flop=%g precision=bf16 class=gemm source=model",
                flop);
  builder.range(t, t + 5, text);
  builder.launch(t + 1, t + 10, t + 20, name);
}

void node(ProfileBuilder& builder, std::int64_t t, const char* name) {
  builder.launch(t, t + 10, t + 20, name).graph_node_id = t + 1;
}

TEST(GraphShares, AreThoseOfTheSameKernelOutside) {
  ProfileBuilder builder;
  modeled(builder, 0, "gemm_a", 5000);
  modeled(builder, 100, "gemm_a", 5000);
  node(builder, 200, "gemm_a");
  node(builder, 300, "gemm_b");  // never launched outside
  EXPECT_EQ(flop_of_launches(builder), (std::vector<double>{5000, 5000, 5000, 0}));
}

// A step with two GEMMs of one signature, and three steps with this number of nodes.
std::vector<double> flop_of_steps(int nodes) {
  ProfileBuilder builder;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t t = 1000 * step;
    builder.range(t, t + 999, "step " + std::to_string(step));
    if (step == 0) {
      modeled(builder, t + 100, "gemm", 5000);
      modeled(builder, t + 200, "gemm", 7000);
    }
    for (int i = 0; i < nodes && step > 0; ++i) node(builder, t + 100 + 100 * i, "gemm");
  }
  return flop_of_launches(builder);
}

// A persistent kernel has one grid for all shapes.
TEST(GraphShares, OfDifferentShapesNeedTheSamePlaceInAStep) {
  EXPECT_EQ(flop_of_steps(2),
            (std::vector<double>{5000, 7000, 5000, 7000, 5000, 7000, 5000, 7000}));
}

TEST(GraphShares, AreUnknownIfStepsHaveDifferentNumbersOfLaunches) {
  EXPECT_EQ(flop_of_steps(1), (std::vector<double>{5000, 7000, 0, 0, 0}));
}

// The program states the work of a region, and may run another one in the graph.
TEST(GraphShares, DoNotCopyStatedWork) {
  ProfileBuilder builder;
  builder.range(0, 5, "mine | flop=5000 precision=bf16 class=gemm");
  builder.launch(1, 10, 20, "gemm");
  node(builder, 200, "gemm");
  EXPECT_EQ(flop_of_launches(builder), (std::vector<double>{5000, 0}));
}

}  // namespace
}  // namespace mansard::test
