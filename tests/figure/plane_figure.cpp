// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/plane_figure.h"

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

PlaneLine line(double x0, double y0, double x1, double y1, bool open_start, bool open_end) {
  PlaneLine l;
  l.x0 = x0;
  l.y0 = y0;
  l.x1 = x1;
  l.y1 = y1;
  l.open_start = open_start;
  l.open_end = open_end;
  return l;
}

const LogScale kIntensity(1e-6, 1e9, 0, 100);
const LogScale kRate(1e-4, 1e12, 100, 0);

TEST(Extended, ExtendsLinesBeyondTheScales) {
  const PlaneLine slope = extended(line(1, 5, 10, 50, true, true), kIntensity, kRate);
  EXPECT_LE(slope.x0, 1e-6);
  EXPECT_LE(slope.y0, 1e-4);
  EXPECT_GE(slope.x1, 1e9);
  EXPECT_GE(slope.y1, 1e12);
  EXPECT_NEAR(slope.y0 / slope.x0 / 5, 1, 1e-9);
  EXPECT_NEAR(slope.y1 / slope.x1 / 5, 1, 1e-9);
}

TEST(Extended, WorksForEverySlope) {
  const PlaneLine level = extended(line(1, 7, 10, 7, true, true), kIntensity, kRate);
  EXPECT_LE(level.x0, 1e-6);
  EXPECT_GE(level.x1, 1e9);
  EXPECT_EQ(level.y0, 7);
  EXPECT_EQ(level.y1, 7);
  const PlaneLine upright = extended(line(3, 1, 3, 100, true, true), kIntensity, kRate);
  EXPECT_EQ(upright.x0, 3);
  EXPECT_EQ(upright.x1, 3);
  EXPECT_LE(upright.y0, 1e-4);
  EXPECT_GE(upright.y1, 1e12);
  // y = 1000 / x, and y = sqrt(x).
  const PlaneLine falling = extended(line(1, 1000, 1000, 1, true, true), kIntensity, kRate);
  EXPECT_LE(falling.x0, 1e-6);
  EXPECT_GE(falling.x1, 1e9);
  EXPECT_NEAR(falling.x0 * falling.y0 / 1000, 1, 1e-9);
  const PlaneLine root = extended(line(1, 1, 100, 10, true, true), kIntensity, kRate);
  EXPECT_GE(root.y1, 1e12);
  EXPECT_NEAR(root.y1 * root.y1 / root.x1, 1, 1e-6);
}

TEST(Extended, KeepsEndsWhereLinesMeet) {
  const PlaneLine kept = extended(line(1, 5, 10, 50, false, false), kIntensity, kRate);
  EXPECT_EQ(kept.x0, 1);
  EXPECT_EQ(kept.y0, 5);
  EXPECT_EQ(kept.x1, 10);
  EXPECT_EQ(kept.y1, 50);
}

TEST(HoldsAt, AcceptsNoTierAndTheShownTier) {
  EXPECT_TRUE(holds_at(std::nullopt, MemoryLevel::hbm));
  EXPECT_TRUE(holds_at(MemoryLevel::hbm, MemoryLevel::hbm));
  EXPECT_TRUE(holds_at(MemoryLevel::hbm, std::nullopt));
  EXPECT_FALSE(holds_at(MemoryLevel::l2, MemoryLevel::hbm));
}

TEST(FirstLevel, IsDeviceMemoryThenHostMemoryThenAny) {
  PlaneFigure figure;
  EXPECT_EQ(first_level(figure), std::nullopt);
  figure.levels = {MemoryLevel::l2};
  EXPECT_EQ(first_level(figure), MemoryLevel::l2);
  figure.levels = {MemoryLevel::l2, MemoryLevel::dram};
  EXPECT_EQ(first_level(figure), MemoryLevel::dram);
  figure.levels = {MemoryLevel::l2, MemoryLevel::hbm, MemoryLevel::dram};
  EXPECT_EQ(first_level(figure), MemoryLevel::hbm);
}

}  // namespace
}  // namespace mansard::figure
