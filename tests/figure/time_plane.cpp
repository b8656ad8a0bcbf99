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

analysis::RunAnalysis five_kernels() {
  analysis::RunAnalysis run;
  run.machine = slow_machine();
  add_row(run, {"compute", 4e6, 2e4, 4e4, 6e-6});     // 4 µs; HBM 2 µs, L2 1 µs
  add_row(run, {"bandwidth", 4e6, 8e4, 8e4, 10e-6});  // 4 µs; HBM 8 µs, L2 2 µs
  add_row(run, {"copy", 0, 8e4, 0, 16e-6});
  add_row(run, {"registers", 5e6, 0, 0, 20e-6});
  add_row(run, {"tiny", 3e5, 3e3, 0, 0.7e-6});  // 0.3 µs; 0.3 µs
  add_row(run, {"unknown", 0, 0, 0, 3e-6});
  return run;
}

TEST(TimePlane, MeasuredAndIdealPointsHaveTheSameRatio) {
  const PlaneFigure figure = layout_time_plane(slow_machine(), five_kernels());
  ASSERT_EQ(figure.points.size(), 5u);
  EXPECT_EQ(figure.rows_without_points, 1u);
  const auto expect = [&](std::size_t i, PlanePosition ideal, PlanePosition measured) {
    const PlanePoint& p = figure.points[i];
    EXPECT_EQ(p.row, i);
    ASSERT_TRUE(p.ideal);
    EXPECT_NEAR(p.ideal->x, ideal.x, 1e-15) << i;
    EXPECT_NEAR(p.ideal->y, ideal.y, 1e-15) << i;
    EXPECT_NEAR(p.x, measured.x, 1e-15) << i;
    EXPECT_NEAR(p.y, measured.y, 1e-15) << i;
  };
  expect(0, {4e-6, 2e-6}, {6e-6, 3e-6});
  expect(1, {4e-6, 8e-6}, {5e-6, 10e-6});  // max(x, y) is 10 µs
  expect(2, {0, 8e-6}, {0, 16e-6});
  expect(3, {5e-6, 0}, {20e-6, 0});
  expect(4, {0.3e-6, 0.3e-6}, {0.7e-6, 0.7e-6});
  EXPECT_EQ(figure.points[0].level, MemoryLevel::hbm);  // the slower of the two
  EXPECT_EQ(figure.points[3].level, std::nullopt);
  EXPECT_TRUE(figure.levels.empty()) << "the tier is the slowest of each kernel, not chosen";
}

// The figure must agree with the table of `mansard analyze`.
TEST(TimePlane, AgreesWithTheAnalysis) {
  const analysis::RunAnalysis run = five_kernels();
  const PlaneFigure figure = layout_time_plane(slow_machine(), run);
  const analysis::Table table =
      analysis::analysis_registry().find("time_based")->run(run).tables.at(1);
  const auto number = [&](std::size_t row, std::string_view key) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key != key) continue;
      const auto* value = std::get_if<double>(&table.rows.at(row).at(i));
      return value == nullptr ? 0 : *value;
    }
    ADD_FAILURE() << "no column " << key;
    return 0.0;
  };
  ASSERT_EQ(table.rows.size(), run.rows.size());
  for (const PlanePoint& p : figure.points) {
    EXPECT_EQ(p.x, number(p.row, "time_plane_x_s")) << p.label;
    EXPECT_EQ(p.y, number(p.row, "time_plane_y_s")) << p.label;
    EXPECT_EQ(p.ideal->x, number(p.row, "compute_s")) << p.label;
    EXPECT_EQ(p.ideal->y, number(p.row, "bandwidth_s")) << p.label;
    if (p.x > 0 && p.y > 0) {
      EXPECT_NEAR(std::max(p.x, p.y), number(p.row, "time_s"), 1e-18);
    }
  }
}

// The launch overhead is 1 µs: from 0.2 to 1000 times that.
TEST(TimePlane, LimitsDependOnTheLaunchOverhead) {
  const PlaneFigure empty = layout_time_plane(slow_machine(), {});
  const PlaneFigure figure = layout_time_plane(slow_machine(), five_kernels());
  for (const PlaneFigure* f : {&empty, &figure}) {
    EXPECT_NEAR(f->x.min, 1e-7, 1e-16);
    EXPECT_NEAR(f->x.max, 1e-3, 1e-12);
    EXPECT_NEAR(f->y.max, 1e-3, 1e-12);
  }
  EXPECT_NEAR(empty.y.min, 1e-7, 1e-16);
  EXPECT_EQ(figure.x.ticks, TickLabels::seconds);
  analysis::RunAnalysis longer = five_kernels();
  add_row(longer, {"long", 4e10, 1e5, 0, 50e-3});
  EXPECT_NEAR(layout_time_plane(slow_machine(), longer).x.max, 0.1, 1e-9);
}

// The axis extends a decade below the machine's limits; smaller values are on the edge.
TEST(TimePlane, HasAFloor) {
  analysis::RunAnalysis run = five_kernels();
  add_row(run, {"less", 2e4, 2e5, 0, 30e-6});   // 20 ns of compute
  add_row(run, {"least", 2e2, 2e5, 0, 30e-6});  // 0.2 ns
  const PlaneFigure figure = layout_time_plane(slow_machine(), run);
  EXPECT_NEAR(figure.x.min, 1e-8, 1e-17);
  EXPECT_EQ(figure.x.floor, figure.x.min);
  EXPECT_EQ(figure.y.floor, figure.y.min);
  EXPECT_NEAR(figure.points.back().ideal->x, 2e-10, 1e-20) << "the point itself stays true";
  add_row(run, {"hours", 1e20, 1e5, 0, 1e8});
  EXPECT_LT(layout_time_plane(slow_machine(), run).x.max, 1e2);
}

TEST(TimePlane, HasRightAnglesOfEqualTimeAndADiagonal) {
  const PlaneFigure figure = layout_time_plane(slow_machine(), five_kernels());
  const PlaneLine* diagonal = find_line(figure, "balance");
  ASSERT_TRUE(diagonal);
  EXPECT_EQ(diagonal->kind, LineKind::boundary);
  EXPECT_EQ(diagonal->x0, diagonal->y0);
  EXPECT_EQ(diagonal->x1, diagonal->y1);
  EXPECT_TRUE(diagonal->open_start && diagonal->open_end);
  // 1, 10 and 100 µs; lines at the edges would hide the frame.
  ASSERT_EQ(figure.lines.size(), 1u + 2 * 3);
  for (const char* label : {"1 µs", "10 µs", "100 µs"}) {
    const PlaneLine* level = find_line(figure, "runtime " + std::string(label) + " of bandwidth");
    const PlaneLine* upright = find_line(figure, "runtime " + std::string(label) + " of compute");
    ASSERT_TRUE(level && upright) << label;
    EXPECT_TRUE(level->horizontal());
    EXPECT_EQ(upright->x0, upright->x1);
    EXPECT_LT(upright->y0, upright->y1);
    // They meet in the corner (T, T).
    EXPECT_EQ(level->x1, level->value);
    EXPECT_EQ(level->y1, level->value);
    EXPECT_EQ(upright->x1, level->value);
    EXPECT_EQ(upright->y1, level->value);
    EXPECT_FALSE(level->open_end || upright->open_end);
    EXPECT_EQ(level->label, label);
    EXPECT_TRUE(upright->label.empty()) << "one name for both sides";
  }
}

TEST(TimePlane, ShadesTimesBelowTheLaunchOverhead) {
  const PlaneFigure figure = layout_time_plane(slow_machine(), five_kernels());
  const PlaneRegion* box = find_region(figure, "overhead");
  ASSERT_TRUE(box);
  EXPECT_EQ(box->x1, 1e-6);
  EXPECT_EQ(box->y1, 1e-6);
  EXPECT_EQ(box->label, "Launch-bound, 1.00 µs");
  roofline::DeviceModel no_launch = slow_machine();
  no_launch.ceilings.pop_back();
  const PlaneFigure without = layout_time_plane(no_launch, five_kernels());
  EXPECT_EQ(find_region(without, "overhead"), nullptr);
  EXPECT_TRUE(find_region(without, "compute") && find_region(without, "bandwidth"));
}

TEST(TimePlane, OmitsKernelsOfOtherTargets) {
  analysis::RunAnalysis run = five_kernels();
  run.rows[0].target = kernels::Target::host;
  EXPECT_EQ(layout_time_plane(slow_machine(), run).points.size(), 4u);
}

}  // namespace
}  // namespace mansard::figure
