// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/time_scale.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

// Nanoseconds since 1970, used by some tools: doubles of this size are 256 ns apart.
constexpr std::int64_t kNow = 1'763'800'000'123'456'789;

TEST(TimeScale, MapsTimeEvenly) {
  const TimeScale x({1000, 3000}, 100, 500);
  EXPECT_DOUBLE_EQ(x.map(1000), 100);
  EXPECT_DOUBLE_EQ(x.map(2000), 300);
  EXPECT_DOUBLE_EQ(x.map(3000), 500);
  EXPECT_DOUBLE_EQ(x.ns_per_px(), 5);
  EXPECT_EQ(x.invert(300), 2000);
  EXPECT_EQ(x.start_ns(), 1000);
  EXPECT_EQ(x.end_ns(), 3000);
}

TEST(TimeScale, IsExactForLargeTimes) {
  const TimeScale whole({kNow, kNow + 3'600'000'000'000}, 0, 1000);
  const TimeScale x = whole.showing({kNow + 1'800'000'000'001, kNow + 1'800'000'000'101});
  for (int ns = 0; ns <= 100; ++ns) {
    const std::int64_t time = kNow + 1'800'000'000'001 + ns;
    EXPECT_NEAR(x.map(time), 10.0 * ns, 1e-3);
    EXPECT_EQ(x.invert(10.0 * ns), time);
  }
}

TEST(TimeScale, ZoomKeepsTheTimeUnderThePixel) {
  TimeScale x({0, 1'000'000'000}, 0, 1000);
  const std::int64_t under = x.invert(321);
  for (int i = 0; i < 8; ++i) {
    x = x.zoomed(3, 321);
    EXPECT_NEAR(x.map(under), 321, 1e-3);
  }
  EXPECT_NEAR(x.length_ns(), 1e9 / 6561, 1e-3);
}

TEST(TimeScale, ZoomStopsAtItsLimits) {
  const TimeScale x({0, 1'000'000}, 0, 1000);
  EXPECT_DOUBLE_EQ(x.zoomed(1e12, 500).length_ns(), TimeScale::kMinLength_ns);
  const TimeScale out = x.zoomed(8, 700).zoomed(1e-6, 100);
  EXPECT_DOUBLE_EQ(out.length_ns(), 1e6);
  EXPECT_EQ(out.start_ns(), 0);
  EXPECT_EQ(x.zoomed(0, 5).length_ns(), x.length_ns());
}

TEST(TimeScale, PanMovesTheContentWithinTheLimits) {
  const TimeScale x = TimeScale({0, 1000}, 0, 100).showing({400, 600});
  EXPECT_DOUBLE_EQ(x.panned(30).map(500), x.map(500) + 30);
  EXPECT_EQ(x.panned(1e9).start_ns(), 0);
  EXPECT_EQ(x.panned(-1e9).end_ns(), 1000);
  EXPECT_DOUBLE_EQ(x.panned(-1e9).length_ns(), 200);
}

TEST(TimeScale, ShowingWidensAndMovesIntoTheLimits) {
  const TimeScale x({0, 1000}, 0, 100);
  EXPECT_EQ(x.showing({300, 500}).start_ns(), 300);
  EXPECT_EQ(x.showing({300, 500}).end_ns(), 500);
  EXPECT_EQ(x.showing({500, 500}).start_ns(), 450);
  EXPECT_EQ(x.showing({-100, 100}).start_ns(), 0);
  EXPECT_EQ(x.showing({-100, 100}).end_ns(), 200);
  EXPECT_EQ(x.showing({-9, 9000}).end_ns(), 1000);
}

TEST(TimeScale, AnInstantHasWidth) {
  const TimeScale x({42, 42}, 0, 100);
  EXPECT_DOUBLE_EQ(x.length_ns(), TimeScale::kMinLength_ns);
  EXPECT_EQ(x.invert(0), 42);
  EXPECT_EQ(x.invert(100), 42) << "nothing lies beyond the limits";
}

TEST(TimeScale, ResizedShowsTheSameTimes) {
  const TimeScale x = TimeScale({0, 1000}, 0, 100).showing({200, 400}).resized(50, 250);
  EXPECT_DOUBLE_EQ(x.map(200), 50);
  EXPECT_DOUBLE_EQ(x.map(400), 250);
}

TEST(TimeScale, SupportsTheFullRangeOfTimes) {
  const TimeScale x({INT64_MIN, INT64_MAX}, 0, 1000);
  EXPECT_NEAR(x.map(0), 500, 1e-9);
  EXPECT_EQ(x.start_ns(), INT64_MIN);
  EXPECT_EQ(x.end_ns(), INT64_MAX);
}

TEST(TimeScale, RejectsInvalidLimits) {
  EXPECT_THROW(TimeScale({5, 4}, 0, 100), std::invalid_argument);
  EXPECT_THROW(TimeScale({4, 5}, 100, 100), std::invalid_argument);
  EXPECT_THROW(TimeScale({4, 5}, 0, 100).resized(3, 2), std::invalid_argument);
}

}  // namespace
}  // namespace mansard::figure
