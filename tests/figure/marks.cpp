// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/marks.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr Rect kSquarePlot{0, 0, 400, 400};
const LogScale kX(1, 1e4, 0, 400);
const LogScale kY(1e10, 1e14, 400, 0);

PlanePoint point(double x, double y, double share, const char* operation_class = "gemm") {
  return {0, MemoryLevel::hbm, x, y, share, "k", operation_class, {}};
}

TEST(Marks, AreaIsLinearInTheShare) {
  const auto area = [](double share) { return mark_radius(share) * mark_radius(share); };
  EXPECT_NEAR(area(0.5) - area(0), (area(1) - area(0)) / 2, 1e-9);
  EXPECT_GT(mark_radius(0), 3);
  EXPECT_EQ(mark_radius(std::numeric_limits<double>::quiet_NaN()), mark_radius(0));
  EXPECT_EQ(mark_radius(7), mark_radius(1));
}

TEST(Marks, FollowTheScales) {
  PlaneFigure figure;
  figure.points = {point(100, 1e12, 0.3)};
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_NEAR(marks[0].center.x, 200, 1e-9);
  EXPECT_NEAR(marks[0].center.y, 200, 1e-9);
  EXPECT_EQ(marks[0].radius, mark_radius(0.3));
}

TEST(Marks, OmitExcludedAndOutsidePoints) {
  PlaneFigure figure;
  figure.points = {point(0.5, 1e12, 0.1), point(100, 1e15, 0.1), point(100, 1e12, 0.1)};
  EXPECT_EQ(layout_marks(figure, kX, kY, kSquarePlot, {}).size(), 1u);
  const auto none = [](const PlanePoint&) { return false; };
  EXPECT_TRUE(layout_marks(figure, kX, kY, kSquarePlot, none).empty());
}

TEST(Marks, OfUnknownValuesAreOnTheLowerEdge) {
  PlaneFigure figure;
  figure.points = {point(0, 1e12, 0.1), point(100, 0, 0.1)};
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].center.x, kSquarePlot.left);
  EXPECT_NEAR(marks[0].center.y, 200, 1e-9);
  EXPECT_NEAR(marks[1].center.x, 200, 1e-9);
  EXPECT_EQ(marks[1].center.y, kSquarePlot.bottom);
}

TEST(Marks, BelowTheFloorAreOnTheFloor) {
  PlaneFigure figure;
  figure.x.floor = 10;
  figure.y.floor = 1e11;
  figure.points = {point(2, 1e12, 0.1), point(100, 1e3, 0.1)};
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_NEAR(marks[0].center.x, 100, 1e-9);
  EXPECT_NEAR(marks[0].center.y, 200, 1e-9);
  EXPECT_NEAR(marks[1].center.y, 300, 1e-9);
}

TEST(Marks, MergeClosePoints) {
  PlaneFigure figure;
  figure.points = {point(101, 0.99e12, 0.1), point(101.5, 0.991e12, 0.2),
                   point(101, 0.99e12, 0.3, "norm"), point(1000, 1e13, 0.05)};
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  ASSERT_EQ(marks.size(), 3u);
  std::size_t merged = 0;
  for (const Mark& m : marks) {
    if (m.count != 2) continue;
    ++merged;
    EXPECT_EQ(m.point, 1u);  // the one with the most time
    EXPECT_NEAR(m.share, 0.3, 1e-12);
    EXPECT_NEAR(m.center.x, kX.map(101.5), 1e-9);
  }
  EXPECT_EQ(merged, 1u);
}

TEST(Marks, LargeOnesComeFirst) {
  PlaneFigure figure;
  figure.points = {point(2, 1e11, 0.01), point(20, 1e12, 0.5), point(200, 1e13, 0.1)};
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_GT(marks[0].radius, marks[1].radius);
  EXPECT_GT(marks[1].radius, marks[2].radius);
}

TEST(Marks, NumberIsBoundedByPixels) {
  PlaneFigure figure;
  for (int i = 0; i < 200000; ++i) {
    const double t = i / 200000.0;
    figure.points.push_back(point(std::pow(10, 4 * t), std::pow(10, 10 + 4 * t), 1e-6));
  }
  const auto marks = layout_marks(figure, kX, kY, kSquarePlot, {});
  EXPECT_LE(marks.size(), 202u);  // the cells of 4 px that the diagonal of 400 px crosses
  std::size_t points = 0;
  for (const Mark& m : marks) points += m.count;
  EXPECT_NEAR(static_cast<double>(points), 200000, 2);
}

TEST(MarkAt, PrefersTheTopmostMark) {
  const std::vector<Mark> marks = {{{100, 100}, 20, 0, 1, 0}, {{105, 100}, 5, 1, 1, 0}};
  EXPECT_EQ(mark_at(marks, {104, 100}, 4), 1u);
  EXPECT_EQ(mark_at(marks, {90, 100}, 4), 0u);
}

TEST(MarkAt, ReachesALittleBeyondTheMark) {
  const std::vector<Mark> marks = {{{100, 100}, 5, 0, 1, 0}, {{112, 100}, 5, 1, 1, 0}};
  EXPECT_EQ(mark_at(marks, {106, 100}, 4), 0u + 1u);  // both are 1 px away: the one on top
  EXPECT_EQ(mark_at(marks, {100, 108}, 4), 0u);
  EXPECT_EQ(mark_at(marks, {100, 110}, 4), std::nullopt);
  EXPECT_EQ(mark_at({}, {0, 0}, 4), std::nullopt);
}

}  // namespace
}  // namespace mansard::figure
