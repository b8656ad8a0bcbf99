// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(Steps, AreTheOutermostClosedRangesOfTheName) {
  ProfileBuilder b;
  b.range(100, 200, "step 1");
  b.range(120, 150, "step inner", kOtherThread);  // inside another, on whatever thread
  b.range(200, 300, "step 2");
  b.range(300, -1, "step 3");  // still open
  b.range(310, 320, "my step");
  const Profile profile = b.build();
  const StepRange range = find_steps(profile, "step");
  ASSERT_EQ(range.steps.size(), 2u);
  EXPECT_EQ(range.steps[1].start_ns, 200);
  EXPECT_EQ(step_at(range, 99), std::nullopt);
  EXPECT_EQ(step_at(range, 100), 0u);
  EXPECT_EQ(step_at(range, 199), 0u);
  EXPECT_EQ(step_at(range, 200), 1u);  // an end belongs to what follows
  EXPECT_EQ(step_at(range, 300), std::nullopt);
}

TEST(Steps, ThoseRecordedInPartAndMarksDoNotCount) {
  ProfileBuilder b;
  b.range(0, 10, "step 0");
  b.range(10, 20, "step 1");
  b.range(20, 20, "step mark", kMainThread, NvtxEventType::mark);
  b.profile().nvtx.front().began_earlier = true;
  const Profile profile = b.build();
  EXPECT_EQ(find_steps(profile, "step").steps.size(), 1u);
  EXPECT_TRUE(find_usual_steps(profile).empty());  // one step is no sequence
}

TEST(Steps, UsualNamesAreFound) {
  ProfileBuilder b;
  b.range(0, 10, "ProfilerStep#1");
  b.range(10, 20, "ProfilerStep#2");
  EXPECT_EQ(find_usual_steps(b.build()).prefix, "ProfilerStep");
}

TEST(Steps, LaunchesAreTimedByTheirCalls) {
  ProfileBuilder b;
  const std::int64_t id = b.launch(5, 100, 200, "k").correlation_id;
  const LaunchTimes launched(b.build());
  EXPECT_EQ(launched.of(id, 100), 5);
  EXPECT_EQ(launched.of(id + 1, 100), 100);  // no call recorded
}

}  // namespace
}  // namespace mansard::test
