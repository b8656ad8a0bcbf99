// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/points_of_rows.h"

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

PlanePoint point(std::size_t row, std::optional<MemoryLevel> level) {
  PlanePoint p;
  p.row = row;
  p.level = level;
  return p;
}

TEST(PointsOfRows, FindsARowsPointsInTheirOrder) {
  PlaneFigure figure;
  figure.points = {point(2, MemoryLevel::hbm), point(0, MemoryLevel::l2), point(2, MemoryLevel::l2),
                   point(3, std::nullopt), point(9, MemoryLevel::l2)};
  const PointsOfRows points(figure, 4);
  ASSERT_EQ(points.of(2).size(), 2u);
  EXPECT_EQ(points.of(2)[0], 0u);
  EXPECT_EQ(points.of(2)[1], 2u);
  EXPECT_EQ(points.of(0).size(), 1u);
  EXPECT_TRUE(points.of(1).empty());
  EXPECT_TRUE(points.of(9).empty());  // beyond the number of rows
  EXPECT_TRUE(points.of(static_cast<std::size_t>(-1)).empty());

  EXPECT_EQ(points.find(figure, 2, MemoryLevel::l2), &figure.points[2]);
  EXPECT_EQ(points.find(figure, 2, MemoryLevel::shared), nullptr);
  EXPECT_EQ(points.find(figure, 2, std::nullopt), &figure.points[0]);
  EXPECT_EQ(points.find(figure, 3, MemoryLevel::hbm), &figure.points[3]);  // without a tier
  EXPECT_TRUE(PointsOfRows().of(0).empty());
}

}  // namespace
}  // namespace mansard::figure
