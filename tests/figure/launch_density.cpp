// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_density.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr std::uint32_t kNoRow = static_cast<std::uint32_t>(-1);

// Row 0 moves up by 10 pixels per decade, row 1 to the right; row 2 has no point.
const std::vector<LaunchPlace> kPlaces = {{20.5F, 30.5F, 0, -10}, {5.5F, 6.5F, 10, 0}, {}};
const std::vector<std::uint32_t> kRows = {0, 0, 0, 1, 1, 2, kNoRow, 0};
const std::vector<float> kFactors = {0, 1, 0, 0, 2, 0, 0, NAN};
const LaunchOrder kOrder = order_launches(kRows, kFactors, 3);
const LaunchSet kLaunches{&kOrder, nullptr};

std::size_t count_in(const LaunchSet& launches, std::span<const LaunchPlace> places,
                     std::size_t columns, std::size_t lines, Raster& out) {
  std::vector<std::uint32_t> scratch;
  return count_launches(launches, places, columns, lines, out, scratch);
}

TEST(LaunchDensity, CountsEachLaunchInItsPixel) {
  Raster counts;
  EXPECT_EQ(count_in(kLaunches, kPlaces, 40, 50, counts), 5u);
  EXPECT_EQ(counts.at(20, 30), 2u);
  EXPECT_EQ(counts.at(20, 20), 1u);
  EXPECT_EQ(counts.at(5, 6), 1u);
  EXPECT_EQ(counts.at(25, 6), 1u);
  EXPECT_EQ(counts.highest, 2u);
  EXPECT_EQ(std::accumulate(counts.counts.begin(), counts.counts.end(), 0u), 5u);
}

TEST(LaunchDensity, IgnoresLaunchesOutside) {
  Raster counts;
  EXPECT_EQ(count_in(kLaunches, kPlaces, 10, 10, counts), 1u);
  EXPECT_EQ(counts.at(5, 6), 1u);
  // Positions just left of the plot are not in its first column.
  const std::vector<LaunchPlace> left = {{-0.5F, 1, 0, 0}, {1, -0.5F, 0, 0}, {}};
  const std::vector<float> mean(kRows.size(), 0);
  const LaunchOrder all_mean = order_launches(kRows, mean, 3);
  EXPECT_EQ(count_in({&all_mean, nullptr}, left, 10, 10, counts), 0u);
  EXPECT_EQ(count_in(kLaunches, {}, 10, 10, counts), 0u);
  EXPECT_EQ(count_in(kLaunches, kPlaces, 0, 0, counts), 0u);
}

TEST(LaunchDensity, CountsOnlyLaunchesThatPass) {
  std::vector<bool> passes(kRows.size(), true);
  passes[0] = passes[4] = false;
  Raster counts;
  EXPECT_EQ(count_in({&kOrder, &passes}, kPlaces, 40, 50, counts), 3u);
  EXPECT_EQ(counts.at(20, 30), 1u);
  EXPECT_EQ(counts.at(25, 6), 0u);
}

class LaunchDensitySize : public ::testing::TestWithParam<std::size_t> {};

// More than one block, and more than one thread handles.
INSTANTIATE_TEST_SUITE_P(Sizes, LaunchDensitySize, ::testing::Values(10'007, 700'001));

TEST_P(LaunchDensitySize, HoldsForMany) {
  const std::size_t many = GetParam();
  const std::vector<std::uint32_t> rows(many, 0);
  std::vector<float> factors;
  for (std::size_t i = 0; i < many; ++i) factors.push_back(static_cast<float>(i % 3));
  Raster counts;
  const LaunchOrder order = order_launches(rows, factors, 3);
  EXPECT_EQ(count_in({&order, nullptr}, kPlaces, 40, 50, counts), many);
  EXPECT_EQ(counts.at(20, 30), (many + 2) / 3);
  EXPECT_EQ(counts.at(20, 20), (many + 1) / 3);
  EXPECT_EQ(counts.at(20, 10), many / 3);
}

TEST(LaunchDensity, FindsLaunchesNearAPosition) {
  const LaunchesNear near = launches_near(kLaunches, kPlaces, {20, 21}, 12);
  EXPECT_EQ(near.launches, 3u);
  EXPECT_EQ(near.nearest, 1u);
  ASSERT_EQ(near.rows.size(), 1u);
  EXPECT_EQ(near.rows[0].row, 0u);
  EXPECT_EQ(near.rows[0].launches, 3u);

  const LaunchesNear all = launches_near(kLaunches, kPlaces, {10, 10}, 100);
  EXPECT_EQ(all.launches, 5u);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].row, 0u);  // the one with the most launches
  EXPECT_EQ(all.nearest, 3u);

  const LaunchesNear nothing = launches_near(kLaunches, kPlaces, {39, 49}, 3);
  EXPECT_EQ(nothing.launches, 0u);
  EXPECT_EQ(nothing.nearest, std::nullopt);
}

TEST(LaunchDensity, SortsByRowThenDuration) {
  const std::vector<std::uint32_t> rows = {1, 0, 7, 1, 0};
  const std::vector<float> factors = {2, 3, 0, 1, NAN};
  const LaunchOrder order = order_launches(rows, factors, 3);
  EXPECT_EQ(order.rows(), 3u);
  EXPECT_EQ(order.first, (std::vector<std::uint32_t>{0, 1, 3, 3}));
  EXPECT_EQ(order.launch, (std::vector<std::uint32_t>{1, 3, 0}));
  EXPECT_EQ(order.log_factor, (std::vector<float>{3, 1, 2}));
  EXPECT_EQ(order_launches({}, {}, 0).size(), 0u);
}

// Compares with a linear scan for lines in all directions and edges that cut them.
TEST(LaunchDensity, SearchMatchesALinearScan) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> anywhere(-30, 90);
  std::normal_distribution<float> spread(0, 2);
  std::vector<LaunchPlace> places;
  for (int i = 0; i < 50; ++i) {
    const float step = i % 5 == 0 ? 0.0F : anywhere(random);
    places.push_back({anywhere(random), anywhere(random), i % 2 == 0 ? 0.0F : step, -step});
  }
  std::vector<std::uint32_t> rows;
  std::vector<float> factors;
  std::vector<bool> passes;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    rows.push_back(i % 53);
    factors.push_back(spread(random));
    passes.push_back(i % 7 != 0);
  }
  std::vector<std::uint32_t> expected(60 * 40, 0);
  std::size_t near = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= places.size() || !passes[i]) continue;
    const auto at = place_of(places[rows[i]], factors[i]);
    ASSERT_TRUE(at);
    near += std::hypot(at->x - 30, at->y - 20) <= 9 ? 1 : 0;
    if (!(at->x >= 0 && at->x < 60 && at->y >= 0 && at->y < 40)) continue;
    ++expected[static_cast<std::size_t>(at->y) * 60 + static_cast<std::size_t>(at->x)];
  }
  const LaunchOrder order = order_launches(rows, factors, 53);
  Raster counts;
  count_in({&order, &passes}, places, 60, 40, counts);
  EXPECT_EQ(counts.counts, expected);
  EXPECT_EQ(counts.highest, *std::ranges::max_element(expected));
  EXPECT_GT(near, 100u);
  EXPECT_EQ(launches_near({&order, &passes}, places, {30, 20}, 9).launches, near);
}

TEST(LaunchDensity, PlacesOneLaunch) {
  const auto at = place_of(kPlaces[0], 1);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->x, 20.5, 1e-6);
  EXPECT_NEAR(at->y, 20.5, 1e-6);
  EXPECT_FALSE(place_of(kPlaces[2], 0));    // no point
  EXPECT_FALSE(place_of(kPlaces[0], NAN));  // no duration
}

}  // namespace
}  // namespace mansard::figure
