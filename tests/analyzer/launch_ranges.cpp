// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/launch_ranges.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// Names of the ranges around each kernel, the outermost first.
std::vector<std::string> paths_of(const Profile& profile) {
  const LaunchRanges ranges(profile);
  std::vector<std::string> paths;
  for (std::size_t kernel = 0; kernel < profile.kernels.size(); ++kernel) {
    std::string& path = paths.emplace_back();
    for (const std::size_t range : ranges.around(kernel)) {
      path += std::string(range_name(profile, profile.nvtx[range])) + ";";
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
  b.range(0, 50, "a", kMainThread, NvtxEventType::start_end);
  b.range(10, 100, "b", kMainThread, NvtxEventType::start_end);
  b.range(70, 90, "c");
  b.launch(20, 1'000, 1'100, "in a and b");
  b.launch(60, 1'100, 1'200, "in b");
  b.launch(80, 1'200, 1'300, "in b and c");
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"a;b;", "b;", "b;c;"}));
}

TEST(LaunchRanges, HoldWhatComesWhileTheyStayOpen) {
  ProfileBuilder b;
  b.range(0, -1, "open").range(10, 20, "inner");
  b.launch(15, 100, 110, "in both");
  b.launch(30, 110, 120, "in the open one");
  EXPECT_EQ(paths_of(b.build()), (std::vector<std::string>{"open;inner;", "open;"}));
}

}  // namespace
}  // namespace mansard::test
