// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/line_track.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

LineTrack wave(int samples) {
  LineTrack line("GPU 0 power", "W");
  for (int i = 0; i < samples; ++i) line.add(100 * i, std::sin(0.01 * i) * i);
  return line;
}

TEST(LineTrack, DropsInvalidSamples) {
  LineTrack line("", "");
  line.add(10, 1);
  line.add(5, 2);
  line.add(20, std::numeric_limits<double>::quiet_NaN());
  line.add(30, std::numeric_limits<double>::infinity());
  line.add(30, 3);
  ASSERT_EQ(line.size(), 2u);
  EXPECT_EQ(line.time_ns(1), 30);
}

TEST(LineTrack, RangeIsThatOfTheSamples) {
  const LineTrack line = wave(1000);
  for (const auto& [first, last] :
       {std::pair<std::size_t, std::size_t>{0, 1000}, {3, 4}, {60, 70}, {64, 128}, {1, 999}}) {
    double low = 1e9, high = -1e9;
    for (std::size_t i = first; i < last; ++i) {
      low = std::min(low, line.value(i));
      high = std::max(high, line.value(i));
    }
    EXPECT_EQ(line.range(first, last).low, low);
    EXPECT_EQ(line.range(first, last).high, high);
  }
}

TEST(VisibleColumns, HoldAllSamplesOfTheWindowAndItsNeighbors) {
  const LineTrack line = wave(10'000);
  const TimeScale whole({0, 999'900}, 0, 500);
  for (const double factor : {1.0, 7.0, 90.0, 4000.0}) {
    const TimeScale scale = whole.zoomed(factor, 200);
    const auto columns = visible_columns(line, scale);
    std::size_t samples = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      samples += columns[i].samples;
      EXPECT_LE(columns[i].range.low, columns[i].last);
      EXPECT_GE(columns[i].range.high, columns[i].last);
      EXPECT_TRUE(i == 0 || columns[i].x_px > columns[i - 1].x_px);
    }
    std::size_t inside = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      inside += line.time_ns(i) >= scale.start_ns() && line.time_ns(i) < scale.end_ns() ? 1 : 0;
    }
    EXPECT_GE(samples, inside);
    EXPECT_LE(samples, inside + 2);
    EXPECT_LE(columns.size(), 510u);  // rounding to whole nanoseconds may divide a pixel
  }
}

TEST(VisibleColumns, ALineCrossesAWindowWithoutSamples) {
  LineTrack line("", "");
  line.add(0, 1);
  line.add(1000, 2);
  const auto columns = visible_columns(line, TimeScale({0, 1000}, 0, 100).showing({400, 500}));
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_LT(columns[0].x_px, 0);
  EXPECT_GT(columns[1].x_px, 100);
  EXPECT_TRUE(visible_columns(LineTrack("", ""), TimeScale({0, 1000}, 0, 100)).empty());
}

}  // namespace
}  // namespace mansard::figure
