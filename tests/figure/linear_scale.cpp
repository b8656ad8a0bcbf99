// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/linear_scale.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

std::vector<std::string> labels_of(const LinearTicks& list) {
  std::vector<std::string> out;
  for (const Tick& t : list.ticks) out.push_back(t.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(LinearScale, MapsEvenlyAndBack) {
  const LinearScale x(-10, 30, 100, 500);
  EXPECT_DOUBLE_EQ(x.map(-10), 100);
  EXPECT_DOUBLE_EQ(x.map(0), 200);
  EXPECT_DOUBLE_EQ(x.map(30), 500);
  EXPECT_DOUBLE_EQ(x.invert(350), 15);
  const LinearScale y(0, 8, 400, 0);
  EXPECT_DOUBLE_EQ(y.map(2), 300) << "a vertical axis grows upwards";
}

TEST(LinearScale, RejectsAnInvalidDomain) {
  EXPECT_THROW(LinearScale(1, 1, 0, 100), std::invalid_argument);
  EXPECT_THROW(LinearScale(2, 1, 0, 100), std::invalid_argument);
  EXPECT_THROW(LinearScale(0, INFINITY, 0, 100), std::invalid_argument);
  EXPECT_THROW(LinearScale(NAN, 1, 0, 100), std::invalid_argument);
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_THROW(LinearScale(-kMax, kMax, 0, 100), std::invalid_argument) << "1 - 0 overflows";
}

TEST(EvenStep, IsTheLeastOfOneTwoAndFive) {
  EXPECT_DOUBLE_EQ(even_step(1), 1);
  EXPECT_DOUBLE_EQ(even_step(1.01), 2);
  EXPECT_DOUBLE_EQ(even_step(4.4), 5);
  EXPECT_DOUBLE_EQ(even_step(5.1), 10);
  EXPECT_DOUBLE_EQ(even_step(0.00021), 0.0005);
  EXPECT_DOUBLE_EQ(even_step(0.6 / 3), 0.2) << "0.6 / 3 is a bit less than 0.2, 0.2 a bit more";
}

TEST(LinearTicks, ShareAPrefix) {
  const LinearTicks list = linear_ticks_apart(LinearScale(0, 0.0024, 0, 300), 60, TickLabels::si);
  EXPECT_EQ(labels_of(list), (Labels{"0", "0.5", "1", "1.5", "2"}));
  EXPECT_EQ(list.prefix, "m");
  EXPECT_DOUBLE_EQ(list.ticks[3].value, 0.0015);
  EXPECT_DOUBLE_EQ(list.ticks[3].pixel, 187.5);
}

TEST(LinearTicks, AreSignedAndPassThroughZero) {
  const LinearTicks list = linear_ticks(LinearScale(-2.1, 4, 0, 300), 2, TickLabels::si);
  EXPECT_EQ(labels_of(list), (Labels{"-2", "0", "2", "4"}));
  EXPECT_EQ(list.prefix, "");
}

TEST(LinearTicks, HaveNoSmallPrefixesForPlainNumbers) {
  const LinearTicks small = linear_ticks(LinearScale(0, 0.05, 0, 300), 0.02, TickLabels::number);
  EXPECT_EQ(labels_of(small), (Labels{"0", "0.02", "0.04"}));
  const LinearTicks large = linear_ticks(LinearScale(0, 4e6, 0, 300), 2e6, TickLabels::number);
  EXPECT_EQ(labels_of(large), (Labels{"0", "2", "4"}));
  EXPECT_EQ(large.prefix, "M");
}

TEST(LinearTicks, AreEvenAtEveryMagnitude) {
  for (double high = 1e-8; high < 1e20; high *= 3.7) {
    for (const double low : {0.0, -0.3 * high}) {
      const LinearScale scale(low, high, 40, 700);
      const LinearTicks list = linear_ticks_apart(scale, 60, TickLabels::si);
      ASSERT_GE(list.ticks.size(), 3u) << high;
      const double step = list.ticks[1].value - list.ticks[0].value;
      for (std::size_t i = 0; i < list.ticks.size(); ++i) {
        const Tick& tick = list.ticks[i];
        EXPECT_NEAR(tick.pixel, scale.map(tick.value), 1e-9);
        EXPECT_LE(tick.label.size(), 6u) << tick.label;
        if (i == 0) continue;
        EXPECT_NEAR((tick.value - list.ticks[i - 1].value) / step, 1, 1e-9);
        EXPECT_GE(tick.pixel - list.ticks[i - 1].pixel, 60 - 1e-6);
      }
    }
  }
}

TEST(LinearTicks, RejectTooSmallSteps) {
  EXPECT_TRUE(linear_ticks(LinearScale(0, 1e18, 0, 300), 1e-3, TickLabels::si).ticks.empty());
}

TEST(SiPrefixes, AreTheLargestNotAbove) {
  EXPECT_EQ(si_prefix(4.2e12).symbol, "T");
  EXPECT_EQ(si_prefix(999.9999999999).symbol, "k");
  EXPECT_EQ(si_prefix(0).symbol, "");
  EXPECT_EQ(si_prefix(1e-15).symbol, "n");
  EXPECT_DOUBLE_EQ(si_prefix(0.02).factor, 1e-3);
}

}  // namespace
}  // namespace mansard::figure
