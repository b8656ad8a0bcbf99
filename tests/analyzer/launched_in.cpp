// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/launched_in.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

std::vector<bool> in(const store::Profile& profile, std::string_view range) {
  const analysis::LaunchTable launches(profile);
  return analysis::launched_in(profile, launches, analysis::LaunchRanges(profile),
                               [&](std::string_view name) { return name == range; });
}

TEST(LaunchedIn, MatchesAllEnclosingRanges) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(10, 40, "layer | flop=1e9").range(50, 90, "layer");
  builder.launch(5, 1000, 1100, "a");
  builder.launch(20, 1100, 1300, "b");
  builder.launch(60, 1350, 1400, "c");
  builder.launch(120, 1500, 1600, "d");
  const store::Profile profile = builder.build();
  EXPECT_EQ(in(profile, "step 0"), (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(in(profile, "layer"), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(in(profile, "lay"), (std::vector<bool>{false, false, false, false}));
}

TEST(LaunchedIn, IncludesRangesOfTheThreadWithTheSteps) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0").range(20, 90, "backward").range(100, 200, "step 1");
  builder.range(30, 80, "dgrad", kOtherThread);
  builder.launch(40, 500, 600, "a", kOtherThread);
  builder.launch(95, 600, 700, "b", kOtherThread);
  const store::Profile profile = builder.build();
  EXPECT_EQ(in(profile, "backward"), (std::vector<bool>{true, false}));
  EXPECT_EQ(in(profile, "dgrad"), (std::vector<bool>{true, false}));
  EXPECT_EQ(in(profile, "step 0"), (std::vector<bool>{true, true}));
}

TEST(LaunchedIn, NeedsACall) {
  ProfileBuilder builder;
  builder.range(0, 100, "step 0");
  store::Profile profile = builder.build();
  profile.kernels.emplace_back();
  EXPECT_EQ(in(profile, "step 0"), (std::vector<bool>{false}));
}

}  // namespace
}  // namespace mansard::test
