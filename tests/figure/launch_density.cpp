// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_density.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace mansard {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kNoRow = static_cast<std::uint32_t>(-1);

// Row 0 moves up by 10 pixels a decade, row 1 to the right, row 2 has no point.
const std::vector<LaunchPlace> kPlaces = {{20.5F, 30.5F, 0, -10}, {5.5F, 6.5F, 10, 0}, {}};
const std::vector<std::uint32_t> kRows = {0, 0, 0, 1, 1, 2, kNoRow, 0};
const std::vector<float> kFactors = {0, 1, 0, 0, 2, 0, 0, kNaN};
const LaunchSet kLaunches{kRows, kFactors, nullptr};

TEST(LaunchDensity, CountsEachLaunchInItsPixel) {
  LaunchCounts counts;
  count_launches(kLaunches, kPlaces, 40, 50, counts);
  EXPECT_EQ(counts.at(20, 30), 2u);
  EXPECT_EQ(counts.at(20, 20), 1u);
  EXPECT_EQ(counts.at(5, 6), 1u);
  EXPECT_EQ(counts.at(25, 6), 1u);
  EXPECT_EQ(counts.inside, 5u);
  EXPECT_EQ(counts.highest, 2u);
  EXPECT_EQ(std::accumulate(counts.counts.begin(), counts.counts.end(), 0u), 5u);
}

TEST(LaunchDensity, WhatIsOutsideCountsNowhere) {
  LaunchCounts counts;
  count_launches(kLaunches, kPlaces, 10, 10, counts);
  EXPECT_EQ(counts.inside, 1u);
  EXPECT_EQ(counts.at(5, 6), 1u);
  // Pixels just left of the plot are not in its first column.
  const std::vector<LaunchPlace> left = {{-0.5F, 1, 0, 0}, {1, -0.5F, 0, 0}, {}};
  const std::vector<float> mean(kRows.size(), 0);
  count_launches({kRows, mean, nullptr}, left, 10, 10, counts);
  EXPECT_EQ(counts.inside, 0u);
  count_launches(kLaunches, {}, 10, 10, counts);
  EXPECT_EQ(counts.inside, 0u);
  count_launches(kLaunches, kPlaces, 0, 0, counts);
  EXPECT_EQ(counts.inside, 0u);
}

TEST(LaunchDensity, CountsOnlyWhatPasses) {
  std::vector<bool> passes(kRows.size(), true);
  passes[0] = passes[4] = false;
  LaunchCounts counts;
  count_launches({kRows, kFactors, &passes}, kPlaces, 40, 50, counts);
  EXPECT_EQ(counts.at(20, 30), 1u);
  EXPECT_EQ(counts.at(25, 6), 0u);
  EXPECT_EQ(counts.inside, 3u);
}

class LaunchDensitySize : public ::testing::TestWithParam<std::size_t> {};

// More than a block, and more than one thread takes.
INSTANTIATE_TEST_SUITE_P(Sizes, LaunchDensitySize, ::testing::Values(10'007, 700'001));

TEST_P(LaunchDensitySize, HoldsForMany) {
  const std::size_t many = GetParam();
  const std::vector<std::uint32_t> rows(many, 0);
  std::vector<float> factors;
  for (std::size_t i = 0; i < many; ++i) factors.push_back(static_cast<float>(i % 3));
  LaunchCounts counts;
  count_launches({rows, factors, nullptr}, kPlaces, 40, 50, counts);
  EXPECT_EQ(counts.inside, many);
  EXPECT_EQ(counts.at(20, 30), (many + 2) / 3);
  EXPECT_EQ(counts.at(20, 20), (many + 1) / 3);
  EXPECT_EQ(counts.at(20, 10), many / 3);
}

TEST(LaunchDensity, FindsWhatIsNearAPosition) {
  const LaunchesNear near = launches_near(kLaunches, kPlaces, {20, 21}, 12);
  EXPECT_EQ(near.launches, 3u);
  EXPECT_EQ(near.nearest, 1u);
  ASSERT_EQ(near.rows.size(), 1u);
  EXPECT_EQ(near.rows[0].row, 0u);
  EXPECT_EQ(near.rows[0].launches, 3u);

  const LaunchesNear all = launches_near(kLaunches, kPlaces, {10, 10}, 100);
  EXPECT_EQ(all.launches, 5u);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].row, 0u);  // the one of most launches
  EXPECT_EQ(all.nearest, 3u);

  const LaunchesNear nothing = launches_near(kLaunches, kPlaces, {39, 49}, 3);
  EXPECT_EQ(nothing.launches, 0u);
  EXPECT_EQ(nothing.nearest, std::nullopt);
}

TEST(LaunchDensity, PlacesOneLaunch) {
  const auto at = place_of(kLaunches, kPlaces, 1);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->x, 20.5, 1e-6);
  EXPECT_NEAR(at->y, 20.5, 1e-6);
  EXPECT_FALSE(place_of(kLaunches, kPlaces, 5));   // no point
  EXPECT_FALSE(place_of(kLaunches, kPlaces, 6));   // no row
  EXPECT_FALSE(place_of(kLaunches, kPlaces, 7));   // no duration
  EXPECT_FALSE(place_of(kLaunches, kPlaces, 99));  // no launch
}

}  // namespace
}  // namespace mansard
