// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/device_ranges.h"

#include <gtest/gtest.h>

#include "analyzer/steps/call_kinds.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

struct Found {
  std::string text;
  std::int64_t start_ns;
  std::int64_t end_ns;
  bool operator==(const Found&) const = default;
};

std::vector<Found> found(const store::Profile& profile, std::int32_t device_id = 0) {
  std::vector<Found> list;
  for (const analysis::DeviceRange& range :
       analysis::device_ranges(profile, analysis::LaunchTable(profile))) {
    if (range.device_id != device_id) continue;
    list.push_back({profile.nvtx[range.nvtx].text, range.start_ns, range.end_ns});
  }
  return list;
}

// The host leaves both layers before the device starts.
TEST(DeviceRanges, ExtendFromTheFirstToTheLastActivity) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(10, 40, "layer 0").range(50, 90, "layer 1");
  builder.launch(20, 1000, 1100, "a");
  builder.launch(30, 1100, 1300, "b");
  builder.launch(60, 1350, 1400, "a");
  EXPECT_EQ(found(builder.build()),
            (std::vector<Found>{
                {"step 0", 1000, 1400}, {"layer 0", 1000, 1300}, {"layer 1", 1350, 1400}}));
}

TEST(DeviceRanges, IncludeLaunchesOfOtherThreadsInAStep) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(20, 90, "backward").range(100, 200, "step 1");
  builder.range(30, 80, "dgrad", kOtherThread);
  builder.launch(40, 500, 600, "a", kOtherThread);
  EXPECT_EQ(
      found(builder.build()),
      (std::vector<Found>{{"step 0", 500, 600}, {"backward", 500, 600}, {"dgrad", 500, 600}}));
}

// The layer is captured in step 0, and its graph is launched in both steps.
TEST(DeviceRanges, ExistForEachLaunchOfAGraph) {
  ProfileBuilder builder;
  builder.range(0, 90, "step 0").range(100, 200, "step 1");
  builder.call(10, "cudaStreamBeginCapture_v10000", 900).range(20, 30, "layer");
  builder.graph_node(25, 1).graph_node(26, 2);
  builder.call(40, "cudaStreamEndCapture_v10000", 901);
  for (const int launch : {50, 150}) {
    builder.call(launch, "cudaGraphLaunch_v10000", launch);
    for (const int node : {1, 2}) {
      const int start = 100 * launch + 200 * node;
      store::KernelRecord& kernel = builder.kernel(start, start + 100, "a");
      kernel.correlation_id = launch;
      kernel.graph_node_id = node;
    }
  }
  EXPECT_EQ(found(builder.build()), (std::vector<Found>{{"step 0", 5200, 5500},
                                                        {"layer", 5200, 5500},
                                                        {"layer", 15200, 15500},
                                                        {"step 1", 15200, 15500}}));
}

// Two executable graphs of one capture run on two streams at once.
TEST(DeviceRanges, OfGraphLaunchesThatOverlapAreSeparate) {
  ProfileBuilder builder;
  builder.call(10, "cudaStreamBeginCapture_v10000", 900).range(20, 30, "layer");
  builder.graph_node(25, 1).graph_node(26, 2);
  builder.call(40, "cudaStreamEndCapture_v10000", 901);
  for (const int launch : {50, 60}) {
    builder.call(launch, "cudaGraphLaunch_v10000", launch);
    for (const int node : {1, 2}) {
      const int start = 10 * launch + 400 * node;
      store::KernelRecord& kernel = builder.kernel(start, start + 50, "a");
      kernel.correlation_id = launch;
      kernel.graph_node_id = node;
    }
  }
  EXPECT_EQ(found(builder.build()),
            (std::vector<Found>{{"layer", 900, 1350}, {"layer", 1000, 1450}}));
}

TEST(DeviceRanges, AreSeparatePerDevice) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0");
  builder.launch(20, 1000, 1100, "a");
  builder.launch(30, 1500, 1600, "a").device_id = 1;
  EXPECT_EQ(found(builder.build(), 0), (std::vector<Found>{{"step 0", 1000, 1100}}));
  EXPECT_EQ(found(builder.build(), 1), (std::vector<Found>{{"step 0", 1500, 1600}}));
}

// Open ranges, marks, ranges without work, and work without recorded launch or times.
TEST(DeviceRanges, LeaveOutIncompleteRecords) {
  ProfileBuilder builder;
  builder.range(0, -1, "open").range(0, 100, "closed").range(200, 300, "idle");
  builder.range(0, 50, "mark", kMainThread, store::NvtxEventType::mark);
  builder.launch(20, 1000, 1100, "a");
  builder.launch(30, 0, 0, "a");
  builder.kernel(2000, 2100, "a");
  EXPECT_EQ(found(builder.build()), (std::vector<Found>{{"closed", 1000, 1100}}));
  EXPECT_TRUE(analysis::device_ranges(store::Profile(), {}).empty());
}

TEST(CallKinds, DependOnTheName) {
  ProfileBuilder builder;
  builder.call(0, "cudaLaunchKernel_v7000", 1).call(1, "cudaStreamSynchronize_v3020", 2);
  builder.call(2, "cudaMalloc_v3020", 3).call(3, "cudaMemcpyAsync_v3020", 4);
  builder.call(4, "cudaMemcpy_v3020", 5).call(5, "cudaLaunchKernel_v7000", 6);
  const store::Profile profile = builder.build();
  analysis::CallKinds kinds(profile);
  const analysis::CallKind expected[] = {
      analysis::CallKind::launch, analysis::CallKind::synchronize, analysis::CallKind::other,
      analysis::CallKind::launch, analysis::CallKind::synchronize, analysis::CallKind::launch};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(kinds.of(profile.api_calls[i]), expected[i]) << i;
}

}  // namespace
}  // namespace mansard::test
