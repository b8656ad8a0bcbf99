// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/ticks.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

std::vector<std::string> labels_of(const std::vector<Tick>& list) {
  std::vector<std::string> out;
  for (const Tick& t : list) {
    if (!t.label.empty()) out.push_back(t.label);
  }
  return out;
}

using Labels = std::vector<std::string>;

TEST(TickLabel, UsesSiPrefixes) {
  EXPECT_EQ(tick_label(1e12, TickLabels::si), "1 T");
  EXPECT_EQ(tick_label(2.5e9, TickLabels::si), "2.5 G");
  EXPECT_EQ(tick_label(1e-3, TickLabels::si), "1 m");
  EXPECT_EQ(tick_label(100, TickLabels::si), "100");
  EXPECT_EQ(tick_label(999.9999999999, TickLabels::si), "1 k");
}

TEST(TickLabel, RatiosHaveNoSmallPrefixes) {
  EXPECT_EQ(tick_label(0.01, TickLabels::number), "0.01");
  EXPECT_EQ(tick_label(0.5, TickLabels::number), "0.5");
  EXPECT_EQ(tick_label(100, TickLabels::number), "100");
  EXPECT_EQ(tick_label(1e4, TickLabels::number), "10 k");
  EXPECT_EQ(tick_label(1e-6, TickLabels::number), "1e-6");
}

TEST(TickLabel, TimesHaveTheirUnit) {
  EXPECT_EQ(tick_label(1e-5, TickLabels::seconds), "10 µs");
  EXPECT_EQ(tick_label(0.002, TickLabels::seconds), "2 ms");
  EXPECT_EQ(tick_label(1, TickLabels::seconds), "1 s");
  EXPECT_EQ(tick_label(1e-12, TickLabels::seconds), "1e-12 s");
}

TEST(Ticks, LabelEveryDecadeWhenThereIsRoom) {
  const auto list = ticks(LogScale(0.01, 1000, 0, 500), TickLabels::number, 40);
  EXPECT_EQ(labels_of(list), (Labels{"0.01", "0.1", "1", "10", "100", "1 k"}));
  // 2..9 in each of the five decades.
  EXPECT_EQ(list.size(), 6u + 5u * 8u);
}

TEST(Ticks, SkipDecadesToPrefixesWhenCrowded) {
  const auto list = ticks(LogScale(1, 1e12, 0, 240), TickLabels::si, 50);
  EXPECT_EQ(labels_of(list), (Labels{"1", "1 k", "1 M", "1 G", "1 T"}));
}

TEST(Ticks, LabelOneTwoFiveCloserUp) {
  const auto list = ticks(LogScale(1, 100, 0, 400), TickLabels::number, 40);
  EXPECT_EQ(labels_of(list), (Labels{"1", "2", "5", "10", "20", "50", "100"}));
}

TEST(Ticks, TakeEvenStepsInsideADecade) {
  const auto list = ticks(LogScale(4.02e12, 4.31e12, 0, 600), TickLabels::si, 80);
  EXPECT_EQ(labels_of(list), (Labels{"4.05 T", "4.1 T", "4.15 T", "4.2 T", "4.25 T", "4.3 T"}));
}

TEST(Ticks, AreNeverTooCloseAndNeverMissing) {
  constexpr double kGap_px = 45;
  for (double decades = LogScale::kMinDecades; decades < LogScale::kMaxDecades; decades *= 1.13) {
    for (const double start : {1e-3, 3.7, 9.1e11}) {
      const LogScale scale(start, start * std::pow(10.0, decades), 0, 640);
      double last = -kGap_px;
      std::size_t labeled = 0;
      for (const Tick& t : ticks(scale, TickLabels::si, kGap_px)) {
        EXPECT_NEAR(t.pixel, scale.map(t.value), 1e-6);
        EXPECT_GE(t.pixel, -1e-3);
        EXPECT_LE(t.pixel, 640 + 1e-3);
        if (t.label.empty()) continue;
        EXPECT_GE(t.pixel - last, kGap_px - 1e-6) << decades << " decades at " << t.value;
        last = t.pixel;
        ++labeled;
      }
      EXPECT_GE(labeled, 2u) << decades << " decades from " << start;
    }
  }
}

}  // namespace
}  // namespace mansard::figure
