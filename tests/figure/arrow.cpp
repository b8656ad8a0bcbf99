// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/arrow.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

TEST(Arrow, ConnectsEdgesOfMarks) {
  const Point from{10, 20};
  const Point to{110, 95};  // 125 away
  const auto arrow = place_arrow(from, 5, to, 12);
  ASSERT_TRUE(arrow);
  EXPECT_NEAR(distance(arrow->shaft.a, from), 5, 3);
  EXPECT_GT(distance(arrow->shaft.a, from), 5);
  EXPECT_NEAR(distance(arrow->head[0], to), 12, 3);
  EXPECT_GT(distance(arrow->head[0], to), 12);
  // All on one way.
  EXPECT_NEAR(distance(from, arrow->shaft.a) + distance(arrow->shaft.a, arrow->shaft.b) +
                  distance(arrow->shaft.b, arrow->head[0]) + distance(arrow->head[0], to),
              125, 1e-9);
}

TEST(Arrow, HasASymmetricHeadBehindItsTip) {
  const auto arrow = place_arrow({0, 0}, 0, {0, -50}, 0);
  ASSERT_TRUE(arrow);
  const auto& [tip, left, right] = arrow->head;
  EXPECT_NEAR(distance(tip, left), distance(tip, right), 1e-9);
  EXPECT_NEAR((left.x + right.x) / 2, tip.x, 1e-9);
  EXPECT_GT(left.y, tip.y);  // it points up, so its base is below
  EXPECT_NEAR(left.y, arrow->shaft.b.y, 1e-9);
  EXPECT_GT(std::fabs(left.x - right.x), 4);
}

TEST(Arrow, IsOmittedIfItsHeadDoesNotFit) {
  EXPECT_FALSE(place_arrow({0, 0}, 5, {15, 0}, 5));
  EXPECT_FALSE(place_arrow({3, 3}, 1, {3, 3}, 1));
  EXPECT_FALSE(place_arrow({std::numeric_limits<double>::quiet_NaN(), 0}, 1, {99, 0}, 1));
  EXPECT_TRUE(place_arrow({0, 0}, 5, {25, 0}, 5));
}

}  // namespace
}  // namespace mansard::figure
