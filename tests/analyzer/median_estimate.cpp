// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/median_estimate.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace mansard::analysis {
namespace {

TEST(DurationStatistics, OrderStatistics) {
  EXPECT_EQ(duration_statistics({}).median_s, 0);
  // An outlier changes neither the median nor the spread. Deviations from 2: 1, 1, 0, 0, 98; their
  // median is 1.
  const DurationStatistics five = duration_statistics({1, 3, 2, 2, 100});
  EXPECT_EQ(five.count, 5u);
  EXPECT_EQ(five.median_s, 2);
  EXPECT_NEAR(five.spread_s, 1.4826, 1e-12);
}

TEST(DurationStatistics, FewSamplesHaveNoError) {
  const Estimate three = estimate_median({1, 2, 3});
  EXPECT_EQ(three.value_s, 2);
  EXPECT_FALSE(three.error_s);
  // Deviations from 2.5: 1.5, 0.5, 0.5, 1.5; their median is 1.
  const Estimate four = estimate_median({1, 2, 3, 4});
  EXPECT_NEAR(four.error_s.value(), 1.2533 * 1.4826 / 2, 1e-12);
  EXPECT_FALSE(noise_of_difference(three, four));
  EXPECT_FALSE(noise_of_difference(four, three));
  EXPECT_TRUE(noise_of_difference(four, four));
}

TEST(DurationStatistics, Sums) {
  const Estimate four = estimate_median({1, 2, 3, 4});
  const Estimate twice = four.times(2);
  EXPECT_NEAR(twice.value_s, 5, 1e-12);
  EXPECT_NEAR(*twice.error_s, 2 * *four.error_s, 1e-12);
  const Estimate both = sum_of(four, estimate_median({1, 2, 3, 4, 5, 6}));
  EXPECT_NEAR(both.value_s, 6, 1e-12);
  EXPECT_EQ(both.batches, 4u);
  EXPECT_FALSE(sum_of(four, estimate_median({1})).error_s);
}

// Drift makes the batches differ: the error of sorted values is larger than that of mixed ones.
TEST(DurationStatistics, DriftIncreasesTheError) {
  std::vector<double> drifting;
  std::vector<double> mixed;
  for (int i = 0; i < 800; ++i) {
    drifting.push_back(1 + 0.001 * i);
    mixed.push_back(1 + 0.001 * (i * 331 % 800));
  }
  EXPECT_EQ(estimate_median(drifting).value_s, estimate_median(mixed).value_s);
  EXPECT_GT(*estimate_median(drifting).error_s, 5 * *estimate_median(mixed).error_s);
}

// Share of pairs of equal runs (normal values) that are reported as different; the target is about
// 1 %. With 20 000 pairs and a fixed seed, its standard error is 0.07 %. The spread is a fifth of
// the mean, so kMinNoise has no effect.
double share_of_false_alarms(std::size_t count_a, std::size_t count_b) {
  std::mt19937_64 generator(20261122);
  std::normal_distribution<double> duration_s(1.0, 0.2);
  const auto sample = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = duration_s(generator);
    return estimate_median(values);
  };
  constexpr int kPairs = 20'000;
  int alarms = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Estimate a = sample(count_a);
    const Estimate b = sample(count_b);
    if (std::fabs(b.value_s - a.value_s) > noise_of_difference(a, b).value()) ++alarms;
  }
  return static_cast<double>(alarms) / kPairs;
}

TEST(DurationStatistics, EqualRunsRarelyDiffer) {
  for (const std::size_t count : {4, 5, 6, 7, 8, 10, 12, 15, 16, 20, 24, 33, 64, 200}) {
    const double share = share_of_false_alarms(count, count);
    EXPECT_LT(share, 0.012) << count;
    EXPECT_GT(share, 0.002) << count << ": real differences would be missed";
  }
}

// If one run has many samples and the other few, the few dominate.
TEST(DurationStatistics, RunsOfDifferentLengths) {
  for (const auto& [few, many] : {std::pair(4, 8), std::pair(4, 200), std::pair(5, 64),
                                  std::pair(8, 200), std::pair(12, 200), std::pair(16, 400)}) {
    const double share =
        share_of_false_alarms(static_cast<std::size_t>(few), static_cast<std::size_t>(many));
    EXPECT_LT(share, 0.015) << few << " and " << many;
    EXPECT_GT(share, 0.002) << few << " and " << many;
  }
}

}  // namespace
}  // namespace mansard::analysis
