// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/time_ticks.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

std::vector<std::string> labels(const TimeAxis& axis) {
  std::vector<std::string> list;
  for (const TimeTick& tick : axis.ticks) {
    if (!tick.label.empty()) list.push_back(tick.label);
  }
  return list;
}

TEST(ExactTime, UsesTheLargestUnitItReaches) {
  EXPECT_EQ(exact_time(0), "0 s");
  EXPECT_EQ(exact_time(999), "999 ns");
  EXPECT_EQ(exact_time(1500), "1.5 µs");
  EXPECT_EQ(exact_time(-12'345'678'901), "-12.345678901 s");
  EXPECT_EQ(exact_time(2'000'000), "2 ms");
  EXPECT_EQ(exact_time(INT64_MIN), "-9223372036.854775808 s");
}

TEST(TimeAxis, StepsByOneTwoOrFive) {
  const TimeScale x({0, 30'000'000}, 0, 1000);
  EXPECT_EQ(labels(time_axis(x, 0, 100)),
            (std::vector<std::string>{"0", "5 ms", "10 ms", "15 ms", "20 ms", "25 ms", "30 ms"}));
  EXPECT_EQ(labels(time_axis(x, 0, 50)).at(1), "2 ms");
  EXPECT_EQ(labels(time_axis(x, 0, 300)).at(1), "10 ms");
}

TEST(TimeAxis, LabelsAreExactToTheNanosecond) {
  const TimeScale x = TimeScale({0, 1'000'000}, 0, 1000).showing({1000, 1250});
  const TimeAxis axis = time_axis(x, 0, 100);
  EXPECT_EQ(axis.base, "");
  EXPECT_EQ(labels(axis), (std::vector<std::string>{"1.00 µs", "1.05 µs", "1.10 µs", "1.15 µs",
                                                    "1.20 µs", "1.25 µs"}));
}

TEST(TimeAxis, LabelsFarFromTheOriginAreRelativeToABase) {
  const TimeScale x =
      TimeScale({0, 100'000'000'000}, 0, 1000).showing({46'512'345'678, 46'512'345'878});
  const TimeAxis axis = time_axis(x, 0, 100);
  EXPECT_EQ(axis.base, "46.512345 s");
  EXPECT_EQ(labels(axis).front(), "680 ns");
  EXPECT_EQ(axis.ticks.front().time_ns, 46'512'345'680);
  EXPECT_EQ(labels(axis).back(), "860 ns");
}

TEST(TimeAxis, CountsFromTheOriginBothWays) {
  const TimeScale x({1'000'000, 1'004'000}, 0, 400);
  EXPECT_EQ(labels(time_axis(x, 1'002'000, 100)),
            (std::vector<std::string>{"-2 µs", "-1 µs", "0", "1 µs", "2 µs"}));
}

TEST(TimeAxis, LargeTimesHaveDistinctTicks) {
  const std::int64_t now = 1'763'800'000'123'456'789;
  const TimeScale x = TimeScale({now, now + 1'000'000'000}, 0, 1000).showing({now + 7, now + 207});
  std::set<std::int64_t> times;
  for (const TimeTick& tick : time_axis(x, 0, 50).ticks) {
    EXPECT_TRUE(times.insert(tick.time_ns).second);
    EXPECT_NEAR(tick.pixel, x.map(tick.time_ns), 1e-9);
    EXPECT_EQ(tick.time_ns % (tick.label.empty() ? 2 : 10), 0);
  }
  EXPECT_GT(times.size(), 10u);
}

// At every zoom: labels do not overlap or repeat, and ticks are in the window.
TEST(TimeAxis, LabelsDoNotOverlapAtAnyZoom) {
  const TimeScale whole({0, 3'600'000'000'000}, 0, 1200);
  for (double factor = 1; factor < 1e12; factor *= 1.7) {
    const TimeScale x = whole.zoomed(factor, 777);
    const TimeAxis axis = time_axis(x, 0, 80);
    std::set<std::string> seen;
    double before = -1e9;
    for (const TimeTick& tick : axis.ticks) {
      EXPECT_GE(tick.time_ns, x.start_ns());
      EXPECT_LE(tick.time_ns, x.end_ns());
      if (tick.label.empty()) continue;
      EXPECT_TRUE(seen.insert(tick.label).second) << tick.label;
      EXPECT_GE(tick.pixel - before, 80 - 1e-6);
      EXPECT_LE(tick.label.size(), 11u) << tick.label;
      before = tick.pixel;
    }
    EXPECT_GE(seen.size(), 5u);
    EXPECT_LE(axis.ticks.size(), 240u);
  }
}

// The page's script takes the first step that is long enough, which must equal that of the axis.
TEST(TimeAxis, HasTheStepsOfTheTable) {
  constexpr double kGap_px = 84;
  const TimeScale whole({0, 5'000'000'000}, 0, 1200);
  const std::vector<TimeStep> steps = time_steps(5e9, kGap_px);
  EXPECT_EQ(steps.back().ns, 5'000'000'000);
  for (double factor = 1; factor < 1e9; factor *= 1.3) {
    const TimeScale x = whole.zoomed(factor, 300);
    const auto step = std::ranges::find_if(
        steps, [&](const TimeStep& s) { return s.ns >= x.ns_per_px() * kGap_px; });
    ASSERT_NE(step, steps.end());
    const std::vector<TimeTick> ticks = time_axis(x, 0, kGap_px).ticks;
    ASSERT_GT(ticks.size(), 2u);
    EXPECT_EQ(ticks[1].time_ns - ticks[0].time_ns, step->ns / step->parts) << factor;
    for (const TimeTick& tick : ticks) {
      EXPECT_EQ(tick.label.empty(), tick.time_ns % step->ns != 0) << tick.time_ns;
    }
  }
}

TEST(TimeAxis, AWindowNarrowerThanALabelHasOneAtMost) {
  const TimeScale x = TimeScale({0, 1'000'000'000}, 0, 40).showing({123'456'789, 123'456'999});
  EXPECT_LE(labels(time_axis(x, 0, 80)).size(), 1u);
}

}  // namespace
}  // namespace mansard::figure
