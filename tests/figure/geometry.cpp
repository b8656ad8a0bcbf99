// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/geometry.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr Rect kRect{10, 20, 110, 70};

TEST(Clip, KeepsSegmentsInside) {
  const auto kept = clip({{20, 30}, {100, 60}}, kRect);
  ASSERT_TRUE(kept);
  EXPECT_DOUBLE_EQ(kept->a.x, 20);
  EXPECT_DOUBLE_EQ(kept->b.y, 60);
}

TEST(Clip, CutsAtTheSides) {
  const auto kept = clip({{-40, 45}, {260, 45}}, kRect);
  ASSERT_TRUE(kept);
  EXPECT_DOUBLE_EQ(kept->a.x, 10);
  EXPECT_DOUBLE_EQ(kept->b.x, 110);
  const auto slope = clip({{0, 0}, {100, 100}}, kRect);
  ASSERT_TRUE(slope);
  EXPECT_DOUBLE_EQ(slope->a.x, 20);  // enters through the top
  EXPECT_DOUBLE_EQ(slope->b.x, 70);  // leaves through the bottom
}

TEST(Clip, RejectsSegmentsOutside) {
  EXPECT_FALSE(clip({{0, 0}, {200, 10}}, kRect));
  EXPECT_FALSE(clip({{0, 40}, {40, 0}}, {30, 30, 60, 60}));
  EXPECT_FALSE(clip({{std::numeric_limits<double>::quiet_NaN(), 30}, {50, 50}}, kRect));
}

TEST(OrientedBoxes, OverlapDependsOnTheAngle) {
  constexpr double kEighth = std::numbers::pi / 4;
  const OrientedBox upright{{0, 0}, 10, 10, 0};
  // The corner of a square rotated by 45 degrees is 7.07 from its center, its sides 5.
  EXPECT_TRUE(overlap(upright, {{12, 0}, 10, 10, kEighth}));
  EXPECT_FALSE(overlap(upright, {{12.1, 0}, 10, 10, kEighth}));
  // The bounding boxes overlap, but not the boxes.
  EXPECT_FALSE(overlap({{0, 0}, 100, 4, kEighth}, {{20, 0}, 100, 4, kEighth}));
  EXPECT_TRUE(overlap({{0, 0}, 100, 4, kEighth}, {{20, 0}, 100, 4, -kEighth}));
}

TEST(OrientedBoxes, TouchingIsNotOverlapping) {
  EXPECT_FALSE(overlap({{0, 0}, 10, 10, 0}, {{10, 0}, 10, 10, 0}));
  EXPECT_TRUE(overlap({{0, 0}, 10, 10, 0}, {{9.99, 0}, 10, 10, 0}));
}

TEST(OrientedBoxes, InsideChecksAllCorners) {
  EXPECT_TRUE(inside({{60, 45}, 90, 10, 0}, kRect));
  EXPECT_FALSE(inside({{60, 45}, 90, 10, std::numbers::pi / 4}, kRect));
}

TEST(OrientedBoxes, BoxOfASegmentFollowsIt) {
  const OrientedBox box = as_box({{0, 0}, {30, 40}}, 2);
  EXPECT_DOUBLE_EQ(box.width, 50);
  EXPECT_DOUBLE_EQ(box.height, 2);
  EXPECT_DOUBLE_EQ(box.angle_rad, std::atan2(40, 30));
  EXPECT_DOUBLE_EQ(box.center.x, 15);
}

TEST(Geometry, APolygonIsCutAtTheSidesOfARectangle) {
  const Rect rect{0, 0, 10, 10};
  const auto area = [](const std::vector<Point>& p) {
    double twice = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Point& b = p[(i + 1) % p.size()];
      twice += p[i].x * b.y - b.x * p[i].y;
    }
    return std::fabs(twice) / 2;
  };
  const std::vector<Point> within = {{1, 1}, {4, 1}, {4, 5}};
  EXPECT_EQ(clip_polygon(within, rect).size(), 3u);
  EXPECT_DOUBLE_EQ(area(clip_polygon(within, rect)), 6);
  // A polygon far outside, and one whose diagonal is a million times as long.
  EXPECT_DOUBLE_EQ(area(clip_polygon({{-1e7, -1e7}, {1e7, -1e7}, {1e7, 1e7}, {-1e7, 1e7}}, rect)),
                   100);
  EXPECT_NEAR(area(clip_polygon({{-1e7, -1e7}, {1e7, 1e7}, {-1e7, 1e7}}, rect)), 50, 1e-6);
  EXPECT_TRUE(clip_polygon({{11, 1}, {14, 1}, {14, 5}}, rect).empty());
  EXPECT_TRUE(clip_polygon(std::vector<Point>(), rect).empty());
}

}  // namespace
}  // namespace mansard::figure
