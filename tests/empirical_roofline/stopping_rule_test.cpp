// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/stopping_rule.h"

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

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
  EXPECT_TRUE(rule.done(wild, 5.0));  // max_time_s exceeded
}

}  // namespace
}  // namespace mansard::roofline
