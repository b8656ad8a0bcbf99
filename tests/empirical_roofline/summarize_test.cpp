// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/summarize.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/statistics.h"

namespace mansard::roofline {
namespace {

kernels::KernelSpec compute_spec() {
  kernels::KernelSpec s;
  s.role = kernels::KernelRole::compute_ceiling;
  s.peak_per_clock = [](const kernels::DeviceInfo&) { return 4.0; };
  return s;
}

kernels::DeviceInfo device() {
  kernels::DeviceInfo d;
  d.units = 10;
  d.boost_clock_hz = 2e9;
  return d;
}

Ceiling of(std::vector<std::pair<int, double>> campaigns_and_values) {
  Ceiling c;
  for (const auto& [campaign, value] : campaigns_and_values) {
    c.samples.push_back(Sample{.value = value, .clock_hz = 1e9, .campaign = campaign});
  }
  return c;
}

// One campaign with many samples must not outvote the others.
TEST(Summarize, TheValueIsTheMedianOfTheCampaigns) {
  Ceiling c = of({{0, 100}, {0, 100}, {0, 100}, {0, 100}, {0, 100}, {1, 200}, {2, 210}});
  summarize(c, compute_spec(), device());
  EXPECT_DOUBLE_EQ(c.value, 200);
  EXPECT_EQ(c.campaigns, 3);
  EXPECT_EQ(c.unit, "FLOP/s");
}

// Student's interval of 100, 102, 104: t(2) = 4.303, s = 2, over sqrt(3) and 102.
TEST(Summarize, TheUncertaintyComesFromTheCampaigns) {
  Ceiling c = of({{0, 100}, {1, 102}, {2, 104}});
  summarize(c, compute_spec(), device());
  EXPECT_NEAR(c.uncertainty, 4.303 * 2 / std::sqrt(3.0) / 102, 1e-6);
}

TEST(Summarize, OneCampaignFallsBackToItsSamples) {
  Ceiling c;
  for (int i = 0; i < 20; ++i) c.samples.push_back(Sample{.value = 100.0 + i % 3});
  summarize(c, compute_spec(), device());
  EXPECT_EQ(c.campaigns, 1);
  EXPECT_GT(c.uncertainty, 0);
  Ceiling few = of({{0, 1.0}, {0, 1.0}});
  summarize(few, compute_spec(), device());
  EXPECT_EQ(few.uncertainty, 0) << "too few samples";
}

TEST(Summarize, SettlingSamplesAreExcluded) {
  Ceiling c = of({{0, 900}, {0, 900}, {0, 500}});
  c.samples[0].settling = true;
  c.samples[1].settling = true;
  summarize(c, compute_spec(), device());
  EXPECT_DOUBLE_EQ(c.value, 500);
  EXPECT_EQ(c.samples.size(), 3u);
}

// Theory at boost: 4 x 10 x 2e9 = 8e10.
TEST(Summarize, FractionOfTheoryAtBoost) {
  Ceiling c = of({{0, 2e10}});
  summarize(c, compute_spec(), device());
  EXPECT_DOUBLE_EQ(c.fraction_of_theory_at_boost, 0.25);
  kernels::KernelSpec memory = compute_spec();
  memory.role = kernels::KernelRole::bandwidth_ceiling;
  memory.peak_per_s = [](const kernels::DeviceInfo&) { return 4e10; };
  summarize(c, memory, device());
  EXPECT_DOUBLE_EQ(c.fraction_of_theory_at_boost, 0.5);
  EXPECT_EQ(c.unit, "B/s");
}

TEST(Statistics, MeanUncertaintyNeedsTwoValues) {
  EXPECT_TRUE(std::isinf(mean_uncertainty({5.0})));
  EXPECT_DOUBLE_EQ(mean_uncertainty({5.0, 5.0, 5.0}), 0);
  EXPECT_NEAR(mean_uncertainty({9.0, 11.0}), 12.706 * 1 / 10, 1e-9);
}

}  // namespace
}  // namespace mansard::roofline
