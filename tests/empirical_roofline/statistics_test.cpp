// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/statistics.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "empirical_roofline/measure/stopping_rule.h"

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

TEST(Statistics, OneWildSampleMovesNeitherMedianNorSpread) {
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

// The interval must hold the true median in about 95 of 100 experiments: the claim itself.
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

TEST(StoppingRule, NeedsSamplesTimeAndCertainty) {
  StoppingRule rule;
  rule.min_samples = 10;
  rule.min_time_s = 1;
  rule.max_time_s = 5;
  rule.max_uncertainty = 0.01;
  const std::vector<double> steady(20, 1.0);
  std::vector<double> wild;
  for (int i = 0; i < 20; ++i) wild.push_back(i % 2 == 0 ? 1.0 : 2.0);
  EXPECT_FALSE(rule.done(std::vector<double>(9, 1.0), 10));  // too few, however long
  EXPECT_FALSE(rule.done(steady, 0.5));                      // too short
  EXPECT_TRUE(rule.done(steady, 1.0));
  EXPECT_FALSE(rule.done(wild, 2.0));
  EXPECT_TRUE(rule.done(wild, 5.0));  // gives up on certainty
}

}  // namespace
}  // namespace mansard
