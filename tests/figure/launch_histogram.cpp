// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_histogram.h"

#include <cmath>
#include <limits>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::expect_within;
using testing::measure_text;

LaunchHistogram laid_out(const LaunchSample& sample, double width_px = 300,
                         double height_px = 200) {
  return *layout_launch_histogram(sample, width_px, height_px, measure_text);
}

LaunchSample ramp(int launches, double first_s, double step_s) {
  LaunchSample sample;
  for (int i = 0; i < launches; ++i) sample.durations_s.push_back(first_s + step_s * i);
  return sample;
}

std::int64_t launches_in(const LaunchHistogram& h) {
  std::int64_t sum = 0;
  for (const DurationBin& bin : h.bins) sum += bin.launches;
  return sum;
}

TEST(LaunchHistogram, CountsEveryLaunchOnce) {
  const LaunchSample sample = ramp(101, 10e-6, 0.1e-6);  // 10 to 20 us
  const LaunchHistogram h = laid_out(sample);
  EXPECT_FALSE(h.logarithmic);
  EXPECT_EQ(launches_in(h), 101);
  EXPECT_DOUBLE_EQ(h.median_s, 15e-6);
  EXPECT_DOUBLE_EQ(h.p95_s, 19.5e-6);
  for (std::size_t i = 0; i < sample.durations_s.size(); ++i) {
    const DurationBin& bin = h.bins[h.bin_of[i]];
    EXPECT_GE(sample.durations_s[i], bin.from_s * (1 - 1e-12));
    EXPECT_LE(sample.durations_s[i], bin.to_s * (1 + 1e-12));
  }
  EXPECT_DOUBLE_EQ(h.bins.front().from_s, 10e-6);
  EXPECT_NEAR(h.bins.back().to_s, 20e-6, 1e-15);
}

TEST(LaunchHistogram, HeightsAreLaunches) {
  LaunchSample sample;
  sample.durations_s = {1e-6, 1e-6, 1e-6, 1e-6, 2e-6, 2e-6};
  sample.passes = {true, false, false, false, true, true};
  const LaunchHistogram h = laid_out(sample);
  const DurationBin& low = h.bins.front();
  const DurationBin& high = h.bins.back();
  EXPECT_NEAR(low.rect.height(), h.plot.height(), 1e-9) << "the highest";
  EXPECT_NEAR(high.rect.height(), h.plot.height() / 2, 1e-9);
  EXPECT_NEAR(low.passing_rect.height(), h.plot.height() / 4, 1e-9);
  EXPECT_NEAR(high.passing_rect.height(), high.rect.height(), 1e-9);
  EXPECT_EQ(h.count_ticks.front().label, "0");
}

TEST(LaunchHistogram, OneLongLaunchGetsALogarithmicAxis) {
  LaunchSample sample = ramp(100, 10e-6, 0.01e-6);
  sample.durations_s.push_back(1e-3);
  const LaunchHistogram h = laid_out(sample);
  EXPECT_TRUE(h.logarithmic);
  EXPECT_EQ(launches_in(h), 101);
  EXPECT_EQ(h.bins.back().launches, 1);
  EXPECT_TRUE(h.title.text.ends_with("log scale"));
  EXPECT_GE(h.tick_names.size(), 2u);
}

TEST(LaunchHistogram, TextsDoNotCollide) {
  LaunchSample samples[] = {ramp(1, 5e-6, 0),     ramp(50, 3e-6, 0), ramp(2'000, 1e-6, 1e-9),
                            ramp(12, 1e-7, 1e-3), ramp(3, 0, 0),     ramp(5, 0, 1e-9)};
  for (LaunchSample& sample : samples) {
    sample.selected = sample.durations_s.size() - 1;
    sample.disturbed = 7;
    for (const double width_px : {160.0, 300.0, 900.0}) {
      for (const double height_px : {kLeastHistogram_px, 220.0}) {
        const LaunchHistogram h = laid_out(sample, width_px, height_px);
        ASSERT_EQ(launches_in(h), std::ssize(sample.durations_s));
        ASSERT_EQ(h.marks.size(), 3u);
        std::vector<PlacedText> texts = {h.title, h.least};
        // In the narrowest figure, minimum and maximum are the only texts that may touch.
        if (width_px > 160) texts.push_back(h.most);
        for (const DurationMark& mark : h.marks) texts.push_back(mark.name);
        for (const PlacedText& name : h.tick_names) texts.push_back(name);
        for (const PlacedText& name : h.count_names) texts.push_back(name);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          expect_within(texts[i].box, {0, 0, width_px, height_px}, texts[i].text);
          for (std::size_t k = 0; k < i; ++k) {
            EXPECT_FALSE(testing::overlap(texts[i].box, texts[k].box))
                << texts[i].text << " and " << texts[k].text << " at " << width_px << " x "
                << height_px;
          }
        }
        for (const DurationMark& mark : h.marks) {
          EXPECT_GE(mark.line.a.x, h.plot.left - 1e-6);
          EXPECT_LE(mark.line.a.x, h.plot.right + 1e-6);
        }
      }
    }
  }
}

TEST(LaunchHistogram, LowBarsCanBePointedAt) {
  LaunchSample sample = ramp(100'000, 10e-6, 0);
  sample.durations_s.push_back(20e-6);
  const LaunchHistogram h = laid_out(sample);
  const Drawing drawing = draw(h, "gemm");
  const Rect& last = h.bins.back().rect;
  const std::optional<Link> link = link_at(drawing, {last.right - 2, h.plot.top + 3});
  ASSERT_TRUE(link);
  EXPECT_EQ(link->index, h.bins.size() - 1);
  EXPECT_TRUE(drawing.title(*link)->ends_with("1 launch (0.0 %)"));
  EXPECT_FALSE(link_at(drawing, {(h.plot.left + h.plot.right) / 2, h.plot.bottom - 3}))
      << "an empty bin";
}

TEST(LaunchHistogram, NothingWithoutLaunches) {
  EXPECT_FALSE(layout_launch_histogram({}, 300, 200, measure_text));
}

}  // namespace
}  // namespace mansard::figure
