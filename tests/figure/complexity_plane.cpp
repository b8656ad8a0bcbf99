// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "reports/figure/plane_figure.h"
#include "tests/figure/run_fixture.h"

namespace mansard::figure {
namespace {

using testing::add_row;
using testing::find_line;
using testing::find_region;
using testing::slow_machine;

analysis::RunAnalysis some_run() {
  analysis::RunAnalysis run;
  run.machine = slow_machine();
  add_row(run, {"gemm", 4e8, 2e6, 8e6, 1e-3});
  add_row(run, {"norm", 3e5, 1e6, 0, 1e-3, Precision::fp32});
  add_row(run, {"copy", 0, 5e6, 5e6, 1e-3});
  add_row(run, {"registers", 5e6, 0, 0, 1e-3});
  add_row(run, {"unknown", 0, 0, 0, 1e-3});
  return run;
}

TEST(ComplexityPlane, HasAPointPerTierForOneLaunch) {
  const PlaneFigure figure = layout_complexity_plane(slow_machine(), some_run());
  EXPECT_EQ(figure.levels, (std::vector{MemoryLevel::l2, MemoryLevel::hbm}));
  EXPECT_EQ(first_level(figure), MemoryLevel::hbm);
  EXPECT_EQ(figure.rows_without_points, 1u);
  std::map<std::pair<std::size_t, MemoryLevel>, PlanePosition> points;
  for (const PlanePoint& p : figure.points) {
    points[{p.row, *p.level}] = {p.x, p.y};
    EXPECT_FALSE(p.ideal);
  }
  // The GEMM, the copy and the norm have points at one or two tiers; work without bytes has one at
  // each.
  ASSERT_EQ(points.size(), 8u);
  const auto expect = [&](std::size_t row, MemoryLevel level, double flop, double bytes) {
    ASSERT_TRUE(points.contains({row, level})) << row;
    const PlanePosition p = points.at({row, level});
    EXPECT_DOUBLE_EQ(p.x, flop);
    EXPECT_DOUBLE_EQ(p.y, bytes);
  };
  expect(0, MemoryLevel::hbm, 4e8, 2e6);
  expect(0, MemoryLevel::l2, 4e8, 8e6);
  expect(1, MemoryLevel::hbm, 3e5, 1e6);
  expect(1, MemoryLevel::l2, 3e5, 0);
  expect(2, MemoryLevel::hbm, 0, 5e6);
  expect(3, MemoryLevel::hbm, 5e6, 0);
  expect(3, MemoryLevel::l2, 5e6, 0);
}

// BF16 and HBM: 1e12 / 1e10 = 100 FLOP/B, starting at the box of 1e12 x 1 µs by 1e10 x 1 µs.
TEST(ComplexityPlane, BalancesStartAtTheLaunchOverheadBox) {
  const PlaneFigure figure = layout_complexity_plane(slow_machine(), some_run());
  struct Expected {
    const char* id;
    double flop_per_byte, box_flop, box_bytes;
    const char* label;
  };
  const Expected all[] = {{"bf16 hbm", 100, 1e6, 1e4, "BF16 / HBM 100 FLOP/B"},
                          {"bf16 l2", 25, 1e6, 4e4, "BF16 / L2 25.0 FLOP/B"},
                          {"fp32 hbm", 10, 1e5, 1e4, "FP32 / HBM 10.0 FLOP/B"},
                          {"fp32 l2", 2.5, 1e5, 4e4, "FP32 / L2 2.50 FLOP/B"}};
  std::size_t balances = 0;
  for (const PlaneLine& line : figure.lines) balances += line.kind == LineKind::boundary ? 1 : 0;
  EXPECT_EQ(balances, std::size(all));
  for (const Expected& e : all) {
    const PlaneLine* line = find_line(figure, "balance " + std::string(e.id));
    const PlaneRegion* box = find_region(figure, "overhead " + std::string(e.id));
    ASSERT_TRUE(line && box) << e.id;
    EXPECT_DOUBLE_EQ(line->value, e.flop_per_byte);
    EXPECT_DOUBLE_EQ(line->x0, e.box_flop);
    EXPECT_DOUBLE_EQ(line->y0, e.box_bytes);
    EXPECT_NEAR(line->x1 / line->y1 / e.flop_per_byte, 1, 1e-12);
    EXPECT_FALSE(line->open_start);
    EXPECT_TRUE(line->open_end);
    EXPECT_EQ(line->label, e.label);
    EXPECT_DOUBLE_EQ(box->x1, e.box_flop);
    EXPECT_DOUBLE_EQ(box->y1, e.box_bytes);
    EXPECT_EQ(line->level, box->level);
  }
}

// From 0.2 times the work of the slowest format in 1 µs (1e5 FLOP) to 1000 times that of the
// fastest (1e6); bytes around 1e4.
TEST(ComplexityPlane, LimitsDependOnTheMachine) {
  const PlaneFigure figure = layout_complexity_plane(slow_machine(), some_run());
  EXPECT_NEAR(figure.x.min, 1e4, 1e-6);
  EXPECT_NEAR(figure.x.max, 1e9, 1e-1);
  EXPECT_NEAR(figure.y.min, 1e3, 1e-6);
  EXPECT_NEAR(figure.y.max, 1e7, 1e-3);
  analysis::RunAnalysis fewer = some_run();
  fewer.rows.resize(1);
  const PlaneFigure same = layout_complexity_plane(slow_machine(), fewer);
  EXPECT_EQ(same.x.min, figure.x.min);
  EXPECT_EQ(same.y.max, figure.y.max);
}

TEST(ComplexityPlane, IntensitiesAreDiagonalsForEachVisibleDecade) {
  const PlaneFigure figure = layout_complexity_plane(slow_machine(), some_run());
  std::vector<double> intensities;
  for (const PlaneLine& line : figure.lines) {
    if (line.kind != LineKind::iso) continue;
    intensities.push_back(line.value);
    EXPECT_NEAR(line.x0 / line.y0 / line.value, 1, 1e-12);
    EXPECT_NEAR(line.x1 / line.y1 / line.value, 1, 1e-12);
    EXPECT_LT(line.x0, line.x1);
    EXPECT_TRUE(line.open_start && line.open_end);
    EXPECT_TRUE(line.x0 == figure.x.min || line.y0 == figure.y.min) << line.id;
  }
  // The corners are at 0.001 and at 1e6 FLOP/B.
  ASSERT_EQ(intensities.size(), 8u);
  EXPECT_NEAR(intensities.front(), 0.01, 1e-12);
  EXPECT_NEAR(intensities.back(), 1e5, 1e-6);
  EXPECT_TRUE(find_line(figure, "intensity 100"));
  EXPECT_EQ(find_line(figure, "intensity 100")->label, "100 FLOP/B");
  EXPECT_EQ(find_line(figure, "intensity 1 k")->label, "1 kFLOP/B");
}

TEST(ComplexityPlane, WithoutLaunchOverheadThereIsNoBox) {
  roofline::DeviceModel machine = slow_machine();
  machine.ceilings.pop_back();
  const PlaneFigure figure = layout_complexity_plane(machine, some_run());
  for (const PlaneRegion& region : figure.regions) EXPECT_EQ(region.x1, 0) << region.id;
  EXPECT_EQ(find_region(figure, "overhead"), nullptr);
  EXPECT_TRUE(find_line(figure, "balance bf16 hbm")->open_start);
}

TEST(ComplexityPlane, EmptyPlaneHasAxes) {
  const PlaneFigure figure = layout_complexity_plane(testing::device({}), {});
  EXPECT_TRUE(figure.points.empty());
  EXPECT_EQ(first_level(figure), std::nullopt);
  EXPECT_LT(figure.x.min, figure.x.max);
  EXPECT_LT(figure.y.min, figure.y.max);
}

}  // namespace
}  // namespace mansard::figure
