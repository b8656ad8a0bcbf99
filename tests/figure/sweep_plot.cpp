// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/sweep_plot.h"

#include <cmath>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

using testing::measure_text;

constexpr double kMiB = 1024 * 1024;

// Twice the bandwidth up to 32 MiB, where the L2 is full.
roofline::DeviceModel device() {
  roofline::DeviceModel d;
  d.device.target = kernels::Target::cuda;
  d.device.l2_bytes = 48 * kMiB;
  for (const double mib : {128.0, 64.0, 32.0, 16.0}) {
    d.sweep.push_back({"l2_read", mib * kMiB, mib > 48 ? 4e12 : 8e12});
  }
  return d;
}

TEST(SweepPlot, PlacesPointsBySizeAndValue) {
  const SweepPlot plot =
      *layout_sweep(device(), "B/s", roofline::SweepAxis::working_set, 640, 320, measure_text);
  ASSERT_EQ(plot.curves.size(), 1u);
  const SweepCurve& curve = plot.curves[0];
  ASSERT_EQ(curve.at.size(), 4u);
  const double doubling = curve.at[1].x - curve.at[0].x;
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(curve.at[i].x - curve.at[i - 1].x, doubling, 1e-9);
    EXPECT_LT(curve.points[i - 1].bytes, curve.points[i].bytes);
  }
  // The value axis starts at zero: half the value has half the height.
  EXPECT_NEAR(plot.plot.bottom - curve.at[0].y, 2 * (plot.plot.bottom - curve.at[3].y), 1e-9);
  ASSERT_EQ(plot.capacities.size(), 1u);
  EXPECT_EQ(plot.capacities[0].name.text, "L2 48 MiB");
  const double x = plot.capacities[0].line.a.x;
  EXPECT_NEAR((x - curve.at[1].x) / doubling, std::log2(1.5), 1e-9);
  EXPECT_EQ(sweep_tooltip(curve.points[0]), "l2_read, 16 MiB: 8.00 TB/s");
}

TEST(SweepPlot, OmitsOtherUnitsAndInvalidPoints) {
  EXPECT_FALSE(
      layout_sweep(device(), "s", roofline::SweepAxis::working_set, 640, 320, measure_text));
  roofline::DeviceModel odd = device();
  for (roofline::SweepPoint& p : odd.sweep) p.value = 0;
  EXPECT_FALSE(layout_sweep(odd, "B/s", roofline::SweepAxis::working_set, 640, 320, measure_text));
}

TEST(SweepPlot, WideRangesAreLogarithmic) {
  roofline::DeviceModel d = device();
  d.sweep = {
      {"chase", kMiB, 1e-8, "s"}, {"chase", 2 * kMiB, 1e-7, "s"}, {"chase", 4 * kMiB, 1e-6, "s"}};
  const SweepPlot plot =
      *layout_sweep(d, "s", roofline::SweepAxis::working_set, 640, 320, measure_text);
  const auto& at = plot.curves[0].at;
  EXPECT_NEAR(at[0].y - at[1].y, at[1].y - at[2].y, 1e-9);
}

TEST(SweepPlot, LinksPointsToTheirCurve) {
  const SweepPlot plot =
      *layout_sweep(device(), "B/s", roofline::SweepAxis::working_set, 640, 320, measure_text);
  const Drawing drawing = draw(plot);
  const Point at = plot.curves[0].at[2];
  const auto link = link_at(drawing, {at.x + 3, at.y}, 0);
  EXPECT_EQ(link, (Link{Link::To::sweep_point, 0, 2}));
  EXPECT_EQ(*drawing.title(*link), "l2_read, 64 MiB: 4.00 TB/s");
  EXPECT_FALSE(link_at(drawing, {at.x + 20, at.y}, 10));
}

}  // namespace
}  // namespace mansard::figure
