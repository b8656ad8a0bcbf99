// SPDX-License-Identifier: Apache-2.0
// The phases of a run: start-up, steps of several kinds, and what follows. Times are ns.
#include "analyzer/steps/phases.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

using analysis::Phase;
using analysis::PhaseKind;

std::vector<Phase> phases_of(ProfileBuilder& builder) {
  const analysis::RunAnalysis run = analysis::analyze_run(builder.build(), {test_machine()});
  const std::vector<analysis::DeviceSteps>& devices = analysis::step_times(run);
  EXPECT_EQ(devices.size(), 1u);
  return analysis::run_phases(run, devices.front());
}

// 0-100 a kernel of start-up; steps of 1000 from 1000, the first busy for 900 of 2000, the sixth
// with an evaluation; 100 of other work at the end.
TEST(Phases, AddUpToTheRun) {
  ProfileBuilder builder;
  builder.launch(0, 0, 100, "softmax_kernel");
  std::int64_t t = 1000;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t duration = i == 0 || i == 5 ? 2000 : 1000;
    builder.range(t, t + duration, "step " + std::to_string(i));
    builder.launch(t + 10, t + 100, t + duration, "my_kernel");
    t += duration;
  }
  builder.launch(t + 50, t + 100, t + 200, "softmax_kernel");
  const std::vector<Phase> phases = phases_of(builder);
  ASSERT_EQ(phases.size(), 5u);

  EXPECT_EQ(phases[0].kind, PhaseKind::start_up);
  EXPECT_EQ(phases[0].total_ns, 1000);
  EXPECT_EQ(phases[0].busy_ns, 100);
  EXPECT_EQ(phases[0].launches, 1);
  EXPECT_EQ(phases[0].class_ns.at("softmax"), 100);

  EXPECT_EQ(phases[1].kind, PhaseKind::first_steps);
  EXPECT_EQ(phases[1].steps, 1u);
  EXPECT_EQ(phases[1].total_ns, 2000);
  EXPECT_EQ(phases[1].busy_ns, 1900);

  EXPECT_EQ(phases[2].kind, PhaseKind::typical_steps);
  EXPECT_EQ(phases[2].steps, 8u);
  EXPECT_EQ(phases[2].total_ns, 8000);
  EXPECT_EQ(phases[2].launches, 8);

  EXPECT_EQ(phases[3].kind, PhaseKind::other_steps);
  EXPECT_EQ(phases[3].total_ns, 2000);

  EXPECT_EQ(phases[4].kind, PhaseKind::after_steps);
  EXPECT_EQ(phases[4].total_ns, 200);
  EXPECT_EQ(phases[4].busy_ns, 100);
}

TEST(Phases, DoNotExistWithoutSteps) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "my_kernel");
  EXPECT_TRUE(phases_of(builder).empty());
}

}  // namespace
}  // namespace mansard::test
