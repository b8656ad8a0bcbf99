// SPDX-License-Identifier: Apache-2.0
#include "support/statistics.h"

#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace mansard {
namespace {

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> v = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(v, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(v, 1), 4);
  EXPECT_DOUBLE_EQ(median(v), 2.5);
  EXPECT_DOUBLE_EQ(quantile(v, 0.25), 1.75);  // position 0.75 between 1 and 2
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Statistics, AnOutlierChangesNeitherMedianNorSpread) {
  std::vector<double> v(99, 10.0);
  v.push_back(1e9);
  EXPECT_DOUBLE_EQ(median(v), 10.0);
  EXPECT_DOUBLE_EQ(relative_spread(v), 0.0);
}

TEST(Statistics, SpreadOfFewOrZeroValues) {
  EXPECT_EQ(relative_spread({}), 0);
  EXPECT_EQ(relative_spread({5}), 0);
  EXPECT_EQ(relative_spread({0, 0, 0}), 0);
}

// The 95 % interval must contain the true median in about 95 of 100 experiments.
TEST(Statistics, UncertaintyCoversTheTrueMedian) {
  std::mt19937 engine(11);
  std::normal_distribution<double> normal(100, 5);
  int covered = 0;
  constexpr int kExperiments = 2000;
  for (int e = 0; e < kExperiments; ++e) {
    std::vector<double> v(40);
    for (double& x : v) x = normal(engine);
    const double half = median_uncertainty(v) * median(v);
    if (std::fabs(median(v) - 100) <= half) ++covered;
  }
  EXPECT_GT(covered, 0.90 * kExperiments);
  EXPECT_LT(covered, 0.999 * kExperiments);
}

TEST(Statistics, MediansOfFewValues) {
  EXPECT_TRUE(std::isnan(median(std::vector<double>{})));
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::vector<std::int64_t>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(lower_median(std::vector<std::size_t>{4, 1, 3, 2}), 2u);
  EXPECT_EQ(lower_median(std::vector{3, 1, 2}), 2);
}

}  // namespace
}  // namespace mansard
