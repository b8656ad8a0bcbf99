// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cut_graphs.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using test::kMs;

constexpr int kNodes = 20;

// Launches of one graph, each with 20 kernels of 0.1 ms, 2 ms apart. The ends of the last launch
// are `late_ns` later than they were.
store::Profile graph_profile(int launches, std::int64_t late_ns, bool windowed = true) {
  test::ProfileBuilder b;
  store::Profile profile = b.build();
  if (windowed) profile.session.windows.push_back({0, 2 * launches * kMs});
  for (int launch = 0; launch < launches; ++launch) {
    for (int node = 0; node < kNodes; ++node) {
      store::KernelRecord kernel;
      kernel.start_ns = 2 * launch * kMs + node * kMs / 10;
      kernel.end_ns = kernel.start_ns + kMs / 10 + (launch + 1 == launches ? late_ns : 0);
      kernel.stream_id = 7;
      kernel.correlation_id = 100 + launch;
      kernel.graph_id = 3;
      kernel.graph_node_id = 1000 + node;
      profile.kernels.push_back(kernel);
    }
  }
  return profile;
}

TEST(CutGraphs, TheLaunchWhoseEndsWereOverwrittenIsRemoved) {
  store::Profile profile = graph_profile(4, 10 * kMs);
  EXPECT_EQ(remove_cut_graphs(profile), 20u);
  ASSERT_EQ(profile.kernels.size(), 60u);
  EXPECT_EQ(std::as_const(profile).kernels.back().correlation_id, 102);
  EXPECT_EQ(remove_cut_graphs(profile), 0u);
}

TEST(CutGraphs, LaunchesInOrderAreKept) {
  store::Profile profile = graph_profile(4, 0);
  EXPECT_EQ(remove_cut_graphs(profile), 0u);
  EXPECT_EQ(profile.kernels.size(), 80u);
}

TEST(CutGraphs, ProfilesOfWholeProgramsAreKept) {
  store::Profile profile = graph_profile(4, 10 * kMs, false);
  EXPECT_EQ(remove_cut_graphs(profile), 0u);
}

// Some nodes run beside the others, in another branch.
TEST(CutGraphs, BranchesOfAGraphAreKept) {
  store::Profile profile = graph_profile(2, 0);
  for (store::KernelRecord& kernel : profile.kernels.records()) {
    if (kernel.graph_node_id < 1000 + kNodes / 3) kernel.end_ns += 3 * kMs;
  }
  EXPECT_EQ(remove_cut_graphs(profile), 0u);
}

TEST(CutGraphs, KernelsOutsideOfGraphsAreKept) {
  store::Profile profile = graph_profile(2, 10 * kMs);
  for (store::KernelRecord& kernel : profile.kernels.records()) kernel.graph_node_id = 0;
  EXPECT_EQ(remove_cut_graphs(profile), 0u);
}

TEST(CutGraphs, AnalysisSaysWhatIsLeftOut) {
  const RunAnalysis run = analyze_run(graph_profile(4, 10 * kMs), {});
  EXPECT_TRUE(std::ranges::any_of(run.notes, [](const std::string& note) {
    return note.starts_with("20 kernels of CUDA graphs");
  }));
  double total_s = 0;
  for (const KernelRow& row : run.rows) total_s += row.time_s;
  EXPECT_NEAR(total_s, 60 * 1e-4, 1e-9);
}

}  // namespace
}  // namespace mansard::analysis
