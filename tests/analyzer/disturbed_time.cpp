// SPDX-License-Identifier: Apache-2.0
// Runs in which counters were read: values come from undisturbed steps only.
#include "analyzer/steps/disturbed_time.h"

#include <gtest/gtest.h>

#include "analyzer/compare/compare_runs.h"
#include "analyzer/steps/typical_step.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::analysis {
namespace {

using namespace test;

// Steps of 1000 ns, each of kernel "a" (400 ns) and kernel "b" (400 ns) with 100 ns before and
// after them. A launch whose counters are read has a call and a reading, but no kernel record, and
// its step takes as long as reading does.
class DisturbedSteps : public testing::Test {
 protected:
  void step(bool reads_b) {
    const std::int64_t t = now_;
    b.launch(t + 10, t + 100, t + 500, "a");
    if (reads_b) {
      store::CounterReading r;
      r.demangled_name = b.intern("b");
      r.grid = {1, 1, 1};
      r.block = {128, 1, 1};
      r.start_ns = t + 600;
      r.correlation_id = 1'000'000 + count_;
      b.call(t + 600, "cudaLaunchKernel", r.correlation_id);
      b.profile().counter_readings.push_back(r);
      b.launch(t + kReading - 200, t + kReading - 100, t + kReading, "c");
    } else {
      b.launch(t + 20, t + 500, t + 900, "b");
    }
    now_ = t + (reads_b ? kReading : 1000);
    b.range(t, now_, "step " + std::to_string(count_++));
  }

  RunAnalysis analyzed() { return analyze_run(b.build(), {test_machine()}); }

  static const KernelRow& row(const RunAnalysis& run, const std::string& name) {
    for (const KernelRow& row : run.rows) {
      if (row.name == name) return row;
    }
    throw std::out_of_range(name);
  }

  static constexpr std::int64_t kReading = 50'000;
  ProfileBuilder b;
  std::int64_t now_ = 1000;
  int count_ = 0;
};

TEST_F(DisturbedSteps, RowsIncludeUndisturbedStepsOnly) {
  step(true);
  step(true);
  for (int i = 0; i < 3; ++i) step(false);
  const RunAnalysis run = analyzed();
  EXPECT_TRUE(run.disturbed.any());
  EXPECT_FALSE(run.all_disturbed);
  EXPECT_EQ(row(run, "a").launches, 3);
  EXPECT_DOUBLE_EQ(row(run, "a").time_s, 3 * 400e-9);
  EXPECT_EQ(row(run, "a").disturbed_indices.size(), 2u);
  EXPECT_EQ(row(run, "b").launches, 3);
  EXPECT_EQ(row(run, "c").launches, 0) << "it ran while counters were read only";
  EXPECT_DOUBLE_EQ(row(run, "c").time_s, 0);
  // 2400 ns of kernels in the three steps. The first undisturbed step starts at the end of
  // the last disturbed one, at 101 us; the last activity ends 100 ns before the end of its range.
  EXPECT_DOUBLE_EQ(run.busy_s, 2400e-9);
  EXPECT_DOUBLE_EQ(run.span_s, 2900e-9);
}

// A launch that is read in a range has a record, so only the pause tells.
TEST_F(DisturbedSteps, PausesDisturbTheStepsThatTheyOverlap) {
  for (int i = 0; i < 6; ++i) step(false);
  b.profile().pauses = {{2300, 2400}, {3500, 3600}};
  const RunAnalysis run = analyzed();
  EXPECT_EQ(row(run, "a").launches, 4) << "six less the two from 2000 ns to 4000 ns";
  EXPECT_TRUE(run.disturbed.overlaps(2500, 2600));
  EXPECT_FALSE(run.disturbed.overlaps(4000, 7000));
}

TEST(CounterPauses, ShortlyAfterEachOtherAreOne) {
  store::Profile profile;
  profile.pauses = {{0, 10'000'000}, {50'000'000, 60'000'000}, {1'000'000'000, 1'000'000'001}};
  const std::vector<TimeInterval> pauses = counter_pauses(profile);
  ASSERT_EQ(pauses.size(), 2u);
  EXPECT_EQ(pauses[0].start_ns, 0);
  EXPECT_EQ(pauses[0].end_ns, 60'000'000);
}

TEST_F(DisturbedSteps, TypicalStepsAreUndisturbed) {
  for (int i = 0; i < 10; ++i) step(true);
  for (int i = 0; i < 3; ++i) step(false);
  const RunAnalysis run = analyzed();
  const std::optional<TypicalStep> typical = typical_step(run);
  ASSERT_TRUE(typical.has_value());
  EXPECT_EQ(typical->all, 13u);
  EXPECT_EQ(typical->disturbed, 10u);
  // Steps end with their last activity: 900 ns for the first, 1000 ns for the others; all are
  // within 10 % of the median.
  EXPECT_EQ(typical->typical, 3u);
  EXPECT_DOUBLE_EQ(typical->step_s, (900e-9 + 1000e-9 + 1000e-9) / 3);
  EXPECT_DOUBLE_EQ(typical->kernels_s, 800e-9);
  EXPECT_DOUBLE_EQ(typical->kernel_launches, 2);
  EXPECT_NEAR(typical->idle_s, (100e-9 + 200e-9 + 200e-9) / 3, 1e-15);
}

TEST_F(DisturbedSteps, WithoutAnUndisturbedStepTheStepTimeIsUnknown) {
  for (int i = 0; i < 3; ++i) step(true);
  const RunAnalysis run = analyzed();
  EXPECT_TRUE(run.all_disturbed);
  EXPECT_FALSE(typical_step(run).has_value());
  EXPECT_EQ(run.busy_s, 0);
  EXPECT_EQ(run.span_s, 0);
  EXPECT_EQ(row(run, "a").launches, 3) << "the launches that were not read have their times";
  EXPECT_TRUE(has_note(run, "step, busy and idle time are not available"));
}

TEST_F(DisturbedSteps, ComparisonsUseUndisturbedSteps) {
  for (int i = 0; i < 5; ++i) step(true);
  for (int i = 0; i < 5; ++i) step(false);
  const RunAnalysis with_counters = analyzed();
  b = ProfileBuilder();
  now_ = 1000;
  count_ = 0;
  for (int i = 0; i < 6; ++i) step(false);
  const RunComparison c = compare_runs(analyzed(), with_counters);
  EXPECT_EQ(c.unit, "step");
  EXPECT_EQ(c.units_b, 5);
  for (const KernelComparison& k : c.kernels) {
    EXPECT_DOUBLE_EQ(k.launches.a, 1) << k.name;
    EXPECT_DOUBLE_EQ(k.launches.b, 1) << k.name << " runs once per step";
    EXPECT_DOUBLE_EQ(k.typical_s.b, 400e-9) << k.name;
  }
}

TEST_F(DisturbedSteps, CountersOfAnotherRunDisturbNothing) {
  for (int i = 0; i < 3; ++i) step(false);
  store::CounterReading r;  // as joined from Nsight Compute: its launch has a kernel record here
  r.demangled_name = b.intern("a");
  r.grid = {1, 1, 1};
  r.block = {128, 1, 1};
  r.start_ns = b.profile().kernels.front().start_ns;
  r.correlation_id = b.profile().kernels.front().correlation_id;
  b.profile().counter_readings.push_back(r);
  const RunAnalysis run = analyzed();
  EXPECT_FALSE(run.disturbed.any());
  EXPECT_EQ(row(run, "a").launches, 3);
}

TEST_F(DisturbedSteps, ReadingsCountAsLaunchesInRepeatingPatterns) {
  // Without ranges: a, b, a, b ..., some b with readings. The period of two matches throughout.
  for (int i = 0; i < 12; ++i) {
    const std::int64_t t = 1000 + 2000 * i;
    b.launch(t, t + 100, t + 500, "a");
    if (i % 3 == 1) {
      store::CounterReading r;
      r.demangled_name = b.intern("b");
      r.grid = {1, 1, 1};
      r.start_ns = t + 600;
      r.correlation_id = 1'000'000 + i;
      b.profile().counter_readings.push_back(r);
    } else {
      b.launch(t + 10, t + 500, t + 900, "b");
    }
  }
  const RunAnalysis run = analyzed();
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_EQ(run.steps[0].origin, StepOrigin::period);
  EXPECT_EQ(run.steps[0].steps.size(), 12u);
}

TEST(DisturbedTime, TimeOutsideOfStepsIsDisturbedIfALaunchWasRead) {
  ProfileBuilder b;
  b.kernel(5000, 6000, "k");
  store::CounterReading r;
  r.start_ns = 500;
  r.correlation_id = 77;
  b.profile().counter_readings.push_back(r);
  mansard::analysis::Steps steps;
  steps.steps = {{"0", 1000, 2000, 0}, {"1", 2000, 3000, 4}, {"2", 3000, 4000, 0}};
  const DisturbedTime disturbed(b.build(), {steps});
  EXPECT_TRUE(disturbed.contains(0));
  EXPECT_TRUE(disturbed.contains(999));
  EXPECT_FALSE(disturbed.contains(1000));
  EXPECT_TRUE(disturbed.contains(2000));
  EXPECT_FALSE(disturbed.contains(3000));
  EXPECT_FALSE(disturbed.contains(9000)) << "nothing was read after the last step";
  EXPECT_EQ(disturbed.disturbed_ns(900, 2500), 100 + 500);
  const std::vector<TimeInterval> rest = disturbed.undisturbed(900, 5000);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].start_ns, 1000);
  EXPECT_EQ(rest[0].end_ns, 2000);
  EXPECT_EQ(rest[1].start_ns, 3000);
  EXPECT_EQ(rest[1].end_ns, 5000);
}

}  // namespace
}  // namespace mansard::analysis
