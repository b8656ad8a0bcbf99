// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/range_stacks.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// Names of the ranges around each kernel, outermost first.
std::vector<std::string> paths_of(const store::Profile& profile) {
  const analysis::LaunchTable launches(profile);
  const analysis::LaunchRanges ranges(profile);
  std::vector<std::string> paths;
  for (std::size_t kernel = 0; kernel < profile.kernels.size(); ++kernel) {
    std::string& path = paths.emplace_back();
    for (const std::size_t range : ranges.around(profile, launches, kernel)) {
      path += std::string(analysis::range_name(profile, profile.nvtx[range])) + ";";
    }
  }
  return paths;
}

TEST(LaunchRanges, AreThoseOpenOnTheLaunchingThread) {
  ProfileBuilder b;
  b.range(0, 1'000, "step").range(10, 100, "layer | flop=1e9 precision=bf16");
  b.range(0, 1'000, "of another thread", kOtherThread);
  b.launch(50, 2'000, 2'100, "in both");
  b.launch(100, 2'100, 2'200, "when the layer has ended");
  b.launch(60, 2'200, 2'300, "launched before, runs after");
  b.kernel(2'300, 2'400, "of no call");
  b.launch(1'000, 2'400, 2'500, "after all");
  EXPECT_EQ(paths_of(b.build()),
            (std::vector<std::string>{"step;layer;", "step;", "step;layer;", "", ""}));
}

TEST(LaunchRanges, NeedNotNest) {
  ProfileBuilder b;
  b.range(0, 50, "a", kMainThread, store::NvtxEventType::start_end);
  b.range(10, 100, "b", kMainThread, store::NvtxEventType::start_end);
  b.range(70, 90, "c");
  b.launch(20, 1'000, 1'100, "in a and b");
  b.launch(60, 1'100, 1'200, "in b");
  b.launch(80, 1'200, 1'300, "in b and c");
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"a;b;", "b;", "b;c;"}));
}

TEST(LaunchRanges, IncludeLaunchesWhileTheyStayOpen) {
  ProfileBuilder b;
  b.range(0, -1, "open").range(10, 20, "inner");
  b.launch(15, 100, 110, "in both");
  b.launch(30, 110, 120, "in the open one");
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"open;inner;", "open;"}));
}

// Files have push/pop ranges in the order of their ends: an inner range that starts together with
// its outer one is recorded first.
TEST(LaunchRanges, OfEqualStartsTheLongerRangeIsTheOuterOne) {
  ProfileBuilder b;
  b.range(0, 20, "inner").range(0, 100, "outer");
  b.launch(10, 1'000, 1'100, "in both");
  b.launch(30, 1'100, 1'200, "in the outer one");
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"outer;inner;", "outer;"}));
}

TEST(LaunchRanges, OfEqualStartsAndEndsTheRangeRecordedFirstIsTheOuterOne) {
  ProfileBuilder b;
  b.range(0, 100, "first").range(0, 100, "second");
  b.launch(10, 1'000, 1'100, "in both");
  EXPECT_EQ(paths_of(b.build()), std::vector<std::string>{"first;second;"});
}

// As in PyTorch: autograd's thread launches inside the step and the pass that are open on the main
// thread. Ranges that the main thread opens later come later; closed ranges are left out.
TEST(LaunchRanges, IncludeThoseOfTheThreadWithTheSteps) {
  ProfileBuilder b;
  b.range(0, 1'000, "step 0").range(10, 40, "forward").range(50, 900, "backward");
  b.range(120, 140, "poll");
  b.range(100, 200, "MulBackward", kOtherThread);
  b.launch(110, 2'000, 2'100, "in backward", kOtherThread);
  b.launch(130, 2'100, 2'200, "while polling", kOtherThread);
  b.launch(150, 2'200, 2'300, "after polling", kOtherThread);
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"step 0;backward;MulBackward;",
                                                           "step 0;backward;MulBackward;poll;",
                                                           "step 0;backward;MulBackward;"}));
}

// The name prefix of the step ranges determines the thread with the steps.
TEST(LaunchRanges, UseTheGivenStepRange) {
  ProfileBuilder b;
  b.range(0, 1'000, "epoch part").range(10, 500, "work", kOtherThread);
  b.launch(20, 2'000, 2'100, "kernel", kOtherThread);
  const store::Profile profile = b.build();
  const analysis::LaunchTable launches(profile);
  EXPECT_EQ(analysis::LaunchRanges(profile).around(profile, launches, 0).size(), 1u)
      << "no range is called a step";
  EXPECT_EQ(analysis::LaunchRanges(profile, "epoch").around(profile, launches, 0).size(), 2u);
}

TEST(LaunchRanges, OfOtherProcessesDoNotCount) {
  constexpr std::int64_t kOtherProcess = (std::int64_t{8} << 24) | 1;
  ProfileBuilder b;
  b.range(0, 1'000, "step 0").range(0, 1'000, "step 0 of rank 1", kOtherProcess);
  b.launch(10, 2'000, 2'100, "kernel", kOtherProcess);
  EXPECT_EQ(paths_of(b.build()), std::vector<std::string>{"step 0 of rank 1;"});
}

// A graph is captured in step 1 and launched in steps 1 and 2. Node 11 of the executable graph is a
// clone of the captured node 1.
class RangesOfGraphKernels : public testing::Test {
 protected:
  RangesOfGraphKernels() {
    b.range(0, 500, "step 1").range(10, 300, "recording");
    b.call(20, "cudaStreamBeginCapture_v10000", 1000);
    b.range(30, 200, "forward").range(40, 100, "layers.0 | flop=1e9 precision=bf16");
    b.call(250, "cudaStreamEndCapture_v10000", 1001);
    b.range(600, 900, "step 2");
  }
  void launch(std::int64_t time, std::int64_t node) {
    store::KernelRecord& kernel = b.kernel(time + 1'000, time + 1'100, "kernel");
    kernel.correlation_id = 2'000 + time;
    kernel.graph_node_id = node;
    b.call(time, "cudaGraphLaunch_v10000", kernel.correlation_id);
  }
  ProfileBuilder b;
};

TEST_F(RangesOfGraphKernels, AreThoseOfTheLaunchAndOfTheCreationInTheCapture) {
  b.graph_node(50, 1).graph_node(260, 11, 1);
  launch(400, 11);
  launch(700, 11);
  EXPECT_EQ(paths_of(b.build()),
            (std::vector<std::string>{"step 1;forward;layers.0;", "step 2;forward;layers.0;"}));
}

// As PyTorch captures the backward pass: the ranges are on the thread of autograd.
TEST_F(RangesOfGraphKernels, OfNodesThatAnotherThreadCreated) {
  b.range(5, 400, "worker", kOtherThread).range(60, 90, "MulBackward", kOtherThread);
  b.graph_node(70, 1, 0, kOtherThread).graph_node(260, 11, 1);
  launch(700, 11);
  EXPECT_EQ(paths_of(b.build()), std::vector<std::string>{"step 2;forward;layers.0;MulBackward;"});
}

TEST_F(RangesOfGraphKernels, OfNodesCreatedWithoutCaptureAreAllButTheStep) {
  b.graph_node(280, 1).graph_node(290, 11, 1);
  launch(700, 11);
  EXPECT_EQ(paths_of(b.build()), std::vector<std::string>{"step 2;recording;"});
}

TEST_F(RangesOfGraphKernels, OfUnknownNodesAreThoseOfTheLaunch) {
  b.graph_node(50, 1);
  launch(700, 12);
  EXPECT_EQ(paths_of(b.build()), std::vector<std::string>{"step 2;"});
}

}  // namespace
}  // namespace mansard::test
