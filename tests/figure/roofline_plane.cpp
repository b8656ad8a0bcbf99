// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reports/figure/marks.h"
#include "reports/figure/plane_figure.h"
#include "reports/figure/plane_layout.h"
#include "reports/figure/plane_style.h"
#include "tests/figure/machine_fixture.h"

namespace mansard::figure {
namespace {

using testing::bandwidth_ceiling;
using testing::compute_ceiling;
using testing::device;

const PlaneLine* find(const PlaneFigure& figure, std::string_view id) {
  for (const PlaneLine& line : figure.lines) {
    if (line.id == id) return &line;
  }
  return nullptr;
}

roofline::DeviceModel two_by_two() {
  return device({compute_ceiling(Precision::bf16, 800e12), compute_ceiling(Precision::fp32, 60e12),
                 bandwidth_ceiling(MemoryLevel::l2, 10e12),
                 bandwidth_ceiling(MemoryLevel::hbm, 4e12)});
}

analysis::RunAnalysis run_of(std::initializer_list<std::pair<double, double>> points) {
  analysis::RunAnalysis run;
  for (const auto& [x, y] : points) {
    analysis::KernelRow row;
    row.name = "void k" + std::to_string(run.rows.size()) + "()";
    row.short_name = "k" + std::to_string(run.rows.size());
    row.operation_class = "gemm";
    row.share = 1.0 / static_cast<double>(points.size());
    run.points.push_back({run.rows.size(), MemoryLevel::hbm, x, y});
    run.rows.push_back(row);
  }
  return run;
}

TEST(RooflinePlane, LinesMeetAtTheRidges) {
  const PlaneFigure figure = layout_roofline(two_by_two(), nullptr);
  ASSERT_EQ(figure.lines.size(), 4u);
  const PlaneLine* l2 = find(figure, "l2");
  const PlaneLine* hbm = find(figure, "hbm");
  const PlaneLine* bf16 = find(figure, "bf16");
  const PlaneLine* fp32 = find(figure, "fp32");
  ASSERT_TRUE(l2 && hbm && bf16 && fp32);
  // Slopes end on the highest compute ceiling: 800 TFLOP/s over 4 and 10 TB/s.
  EXPECT_DOUBLE_EQ(hbm->x1, 200);
  EXPECT_DOUBLE_EQ(hbm->y1, 800e12);
  EXPECT_DOUBLE_EQ(l2->x1, 80);
  EXPECT_DOUBLE_EQ(l2->y1, 800e12);
  // Horizontal lines start on the steepest slope.
  EXPECT_DOUBLE_EQ(bf16->x0, l2->x1);
  EXPECT_DOUBLE_EQ(bf16->y0, l2->y1);
  EXPECT_DOUBLE_EQ(fp32->x0, 6);
  EXPECT_DOUBLE_EQ(fp32->y0, 60e12);
  for (const PlaneLine& line : figure.lines) {
    if (line.level) {
      EXPECT_NEAR(line.y0 / line.x0 / line.value, 1, 1e-12);
      EXPECT_NEAR(line.y1 / line.x1 / line.value, 1, 1e-12);
    } else {
      EXPECT_DOUBLE_EQ(line.x1, figure.x.max);
      EXPECT_DOUBLE_EQ(line.y1, line.value);
    }
  }
}

TEST(RooflinePlane, LabelsHaveNameAndValue) {
  roofline::DeviceModel model = two_by_two();
  model.ceilings.push_back(compute_ceiling(Precision::int8, 1500e12));
  model.ceilings.back().unit = "op/s";
  const PlaneFigure figure = layout_roofline(model, nullptr);
  EXPECT_EQ(find(figure, "int8")->label, "INT8 1.50 Pop/s");
  EXPECT_EQ(find(figure, "hbm")->label, "HBM 4.00 TB/s");
  EXPECT_EQ(find(figure, "bf16")->label, "BF16 800 TFLOP/s");
}

TEST(RooflinePlane, TakesTheBestCeilingOfEachKind) {
  roofline::DeviceModel model = two_by_two();
  roofline::Ceiling slower = compute_ceiling(Precision::bf16, 500e12);
  slower.id = "bf16_mma_sync";
  model.ceilings.insert(model.ceilings.begin(), slower);
  const PlaneFigure figure = layout_roofline(model, nullptr);
  EXPECT_EQ(figure.lines.size(), 4u);
  EXPECT_EQ(find(figure, "bf16_mma_sync"), nullptr);
}

TEST(RooflinePlane, LimitsAreDecadesAroundEverything) {
  const analysis::RunAnalysis run = run_of({{0.002, 1e8}, {3e5, 700e12}});
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  for (const double limit : {figure.x.min, figure.x.max, figure.y.min, figure.y.max}) {
    EXPECT_NEAR(std::log10(limit), std::round(std::log10(limit)), 1e-9);
  }
  for (const PlaneLine& line : figure.lines) {
    EXPECT_GE(line.x0, figure.x.min);
    EXPECT_LE(line.x1, figure.x.max);
    EXPECT_GE(line.y0, figure.y.min * (1 - 1e-12));
    EXPECT_LT(line.y1, figure.y.max);
    EXPECT_LT(line.x0, line.x1);
  }
  for (const PlanePoint& p : figure.points) {
    EXPECT_GT(p.x, figure.x.min);
    EXPECT_LT(p.x, figure.x.max);
    EXPECT_GT(p.y, figure.y.min);
    EXPECT_LT(p.y, figure.y.max);
  }
}

TEST(RooflinePlane, PointsWithinTheRoofsDoNotMoveTheLimits) {
  const analysis::RunAnalysis run = run_of({{1, 2e12}, {300, 400e12}});
  const PlaneFigure with = layout_roofline(two_by_two(), &run);
  const PlaneFigure without = layout_roofline(two_by_two(), nullptr);
  EXPECT_EQ(with.x.min, without.x.min);
  EXPECT_EQ(with.x.max, without.x.max);
  EXPECT_EQ(with.y.min, without.y.min);
  EXPECT_EQ(with.y.max, without.y.max);
}

TEST(RooflinePlane, AFarPointIsKeptButDoesNotSetTheLimits) {
  const analysis::RunAnalysis run = run_of({{1e-30, 1e12}, {10, 1e-20}, {10, 1e13}});
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  EXPECT_EQ(figure.points.size(), 3u);
  EXPECT_GT(figure.x.min, 1e-8);
  EXPECT_GT(figure.y.min, 1e3);
}

TEST(RooflinePlane, WorkThatIsZeroOrUnknownIsCountedNotDrawn) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  analysis::RunAnalysis run =
      run_of({{0, 1e12}, {10, 0}, {kNan, 1e12}, {kInfinity, 1e12}, {1, 1e12}});
  run.rows.push_back({});  // has no point at all
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  ASSERT_EQ(figure.points.size(), 1u);
  EXPECT_EQ(figure.points[0].row, 4u);
  EXPECT_EQ(figure.points[0].label, "k4");
  EXPECT_EQ(figure.rows_without_points, 5u);
}

TEST(RooflinePlane, WithoutComputeCeilingsSlopesReachTheEdge) {
  const PlaneFigure figure = layout_roofline(device({bandwidth_ceiling(MemoryLevel::hbm, 4e12),
                                                     bandwidth_ceiling(MemoryLevel::l2, 10e12)}),
                                             nullptr);
  ASSERT_EQ(figure.lines.size(), 2u);
  for (const PlaneLine& line : figure.lines) {
    EXPECT_TRUE(line.x1 == figure.x.max || line.y1 == figure.y.max);
    EXPECT_LT(line.x0, line.x1);
  }
}

TEST(RooflinePlane, WithoutBandwidthsComputeCeilingsSpanTheFigure) {
  const PlaneFigure figure =
      layout_roofline(device({compute_ceiling(Precision::fp32, 60e12)}), nullptr);
  ASSERT_EQ(figure.lines.size(), 1u);
  EXPECT_EQ(figure.lines[0].x0, figure.x.min);
  EXPECT_EQ(figure.lines[0].x1, figure.x.max);
  EXPECT_GT(figure.y.max, 60e12);
  EXPECT_LT(figure.y.min, 60e12);
}

TEST(RooflinePlane, AnEmptyMachineStillHasAxes) {
  const PlaneFigure nothing = layout_roofline(device({}), nullptr);
  EXPECT_TRUE(nothing.lines.empty());
  EXPECT_GT(nothing.x.min, 0);
  EXPECT_LT(nothing.x.min, nothing.x.max);
  EXPECT_GT(nothing.y.min, 0);
  EXPECT_LT(nothing.y.min, nothing.y.max);
  const analysis::RunAnalysis run = run_of({{50, 3e3}});
  const PlaneFigure only_a_point = layout_roofline(device({}), &run);
  EXPECT_LT(only_a_point.y.min, 3e3);
  EXPECT_GT(only_a_point.y.max, 3e3);
}

TEST(RooflinePlane, AnInterconnectDoesNotLowerTheLimits) {
  roofline::DeviceModel model = two_by_two();
  model.ceilings.push_back(bandwidth_ceiling(MemoryLevel::pcie, 55e9));
  const PlaneFigure figure = layout_roofline(model, nullptr);
  EXPECT_EQ(figure.y.min, layout_roofline(two_by_two(), nullptr).y.min);
  const PlaneLine* pcie = find(figure, "pcie");
  ASSERT_TRUE(pcie);
  EXPECT_DOUBLE_EQ(pcie->y0, figure.y.min);
  EXPECT_DOUBLE_EQ(pcie->x1, 800e12 / 55e9);
}

TEST(RooflinePlane, ASingleInterconnectIsShownCompletely) {
  const PlaneFigure figure = layout_roofline(
      device({compute_ceiling(Precision::bf16, 800e12), compute_ceiling(Precision::fp64, 1e12),
              bandwidth_ceiling(MemoryLevel::pcie, 50e9)}),
      nullptr);
  for (const PlaneLine& line : figure.lines) {
    EXPECT_GE(line.x0, figure.x.min) << line.id;
    EXPECT_GE(line.y0, figure.y.min * (1 - 1e-12)) << line.id;
  }
}

// A run of 1 s with 1e14 FLOP in BF16 and 2e10 B over NVLink: 5000 FLOP/B, and at 100 GB/s at most
// 500 TFLOP/s of 800.
TEST(RooflinePlane, ShowsTheWholeRunAtNvlink) {
  analysis::RunAnalysis run = run_of({{100, 1e14}});
  run.machine = two_by_two();
  run.machine->ceilings.push_back(bandwidth_ceiling(MemoryLevel::nvlink, 1e11));
  run.span_s = run.busy_s = 1;
  run.rows[0].launches = 1;
  run.rows[0].work.flop[Precision::bf16] = 1e14;
  run.rows[0].work.bytes[MemoryLevel::hbm] = 1e12;
  analysis::KernelRow collective;
  collective.launches = 1;
  collective.time_s = 0.3;
  collective.work.bytes[MemoryLevel::nvlink] = 2e10;
  run.rows.push_back(collective);
  const PlaneFigure figure = layout_roofline(*run.machine, &run);
  const PlaneLine* step = find(figure, "run_nvlink");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->kind, LineKind::boundary);
  EXPECT_EQ(step->level, MemoryLevel::nvlink);
  EXPECT_EQ(step->label, "run 5.00 kFLOP/B");
  EXPECT_DOUBLE_EQ(step->x0, 5000);
  EXPECT_DOUBLE_EQ(step->x1, 5000);
  EXPECT_DOUBLE_EQ(step->y1, 1e14);
  EXPECT_TRUE(step->open_start);
  const PlaneLine* gap = find(figure, "run_nvlink_gap");
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->level, MemoryLevel::nvlink);
  EXPECT_DOUBLE_EQ(gap->x0, 5000);
  EXPECT_DOUBLE_EQ(gap->y0, 1e14);
  EXPECT_DOUBLE_EQ(gap->y1, 5e14);
  EXPECT_GE(figure.x.max, 5000);
  EXPECT_FALSE(find(figure, "run_hbm")) << "kernels have points of their own there";
}

TEST(RooflinePlane, CeilingsOfZeroAreLeftOut) {
  const PlaneFigure figure = layout_roofline(
      device({compute_ceiling(Precision::fp32, 0), bandwidth_ceiling(MemoryLevel::hbm, 4e12)}),
      nullptr);
  ASSERT_EQ(figure.lines.size(), 1u);
  EXPECT_EQ(figure.lines[0].id, "hbm");
}

TEST(RooflinePlane, OpensOnThePointsWithMostOfTheTime) {
  analysis::RunAnalysis run = run_of({{400, 500e12}, {1, 2e12}, {0.02, 1e9}, {9e4, 1e14}});
  run.rows[0].share = 0.70;
  run.rows[1].share = 0.26;
  run.rows[2].share = run.rows[3].share = 0.02;
  run.rows[0].work.flop[Precision::bf16] = 1;
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  // The first two points have 96 % of the time. The ridge point of BF16 and HBM is 200 FLOP/B.
  EXPECT_LE(figure.x.first_min, 0.5);
  EXPECT_GE(figure.x.first_min, 0.1);
  EXPECT_GE(figure.x.first_max, 800);
  EXPECT_LE(figure.x.first_max, 2e3);
  EXPECT_LE(figure.y.first_min, 1e12);
  EXPECT_GE(figure.y.first_min, 2e11);
  EXPECT_GE(figure.y.first_max, 800e12 * 1.5);
  EXPECT_LE(figure.y.first_max, 5e15);
  EXPECT_LT(figure.x.min, figure.x.first_min);
  EXPECT_GT(figure.x.max, figure.x.first_max);

  const PlaneLayout layout = lay_out_plane(figure, 900, 500, false, [](std::string_view text) {
    return TextSize{7.0 * static_cast<double>(text.size()), 14};
  });
  EXPECT_EQ(layout.marks.size(), 2u);
  ASSERT_EQ(layout.beyond.size(), 2u);
  EXPECT_EQ(layout.beyond[0].text, "← 1 kernel, 2.0 %");
  EXPECT_EQ(layout.beyond[1].text, "→ 1 kernel, 2.0 %");
}

TEST(RooflinePlane, OpensOnTwoDecadesAtLeast) {
  const analysis::RunAnalysis run = run_of({{200, 700e12}});
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  EXPECT_GE(figure.x.first_max / figure.x.first_min, 100);
  EXPECT_GE(figure.y.first_max / figure.y.first_min, 100);
}

TEST(RooflinePlane, AMachineAloneIsShownCompletely) {
  const PlaneFigure figure = layout_roofline(two_by_two(), nullptr);
  EXPECT_EQ(figure.x.first_min, figure.x.min);
  EXPECT_EQ(figure.x.first_max, figure.x.max);
  EXPECT_EQ(figure.y.first_min, figure.y.min);
  EXPECT_EQ(figure.y.first_max, figure.y.max);
}

TEST(RooflinePlane, AKernelWithoutFlopsIsOnTheLeftEdgeAtItsBandwidth) {
  analysis::RunAnalysis run = run_of({{50, 100e12}});
  analysis::KernelRow copy;
  copy.name = copy.short_name = "copy";
  copy.share = 0.5;
  copy.time_s = 2;
  copy.work.bytes[MemoryLevel::hbm] = 6e12;  // 3 TB/s, 3/4 of the ceiling
  run.rows.push_back(copy);
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  ASSERT_EQ(figure.points.size(), 2u);
  EXPECT_EQ(figure.rows_without_points, 0u);
  const PlanePoint& point = figure.points[1];
  EXPECT_EQ(point.x, 0);
  EXPECT_DOUBLE_EQ(point.y, 3e12);
  EXPECT_TRUE(is_rate(figure, {point.x, point.y}));
  EXPECT_FALSE(is_rate(figure, {figure.points[0].x, figure.points[0].y}));

  const Rect plot{0, 0, 800, 400};
  const LogScale y(1e9, 1e15, plot.bottom, plot.top);
  const PointColumns columns = columns_of(figure, {});
  for (const double left : {0.01, 0.5}) {  // at any zoom
    const LogScale x(left, 1e3, plot.left, plot.right);
    const Point at = place({point.x, point.y}, figure, x, y, plot);
    EXPECT_EQ(at.x, plot.left);
    EXPECT_NEAR(y.invert(at.y), 0.75 * 4e12 * left, 1e-6 * 4e12 * left);
    EXPECT_NEAR(place(columns, 1, x, y, plot).y, at.y, 1e-9);
  }
  // The first part includes it: the slope of HBM starts at 4 TB/s times the left limit.
  EXPECT_LT(figure.y.first_min, 3e12 * figure.x.first_min);
}

TEST(RooflinePlane, OnlyCeilingsInUseAreProminent) {
  analysis::RunAnalysis run = run_of({{300, 400e12}, {1, 1e12}});
  run.rows[0].share = 0.995;
  run.rows[1].share = 0.005;
  run.rows[0].work.flop = {{Precision::bf16, 100}, {Precision::fp32, 1}};
  run.rows[1].work.flop = {{Precision::fp32, 1}};
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  EXPECT_EQ(figure.used, std::set{Precision::bf16});
  const auto shown = first_level(figure);
  EXPECT_TRUE(is_prominent(*find(figure, "bf16"), shown, figure.used));
  EXPECT_FALSE(is_prominent(*find(figure, "fp32"), shown, figure.used));
  EXPECT_TRUE(is_prominent(*find(figure, "hbm"), shown, figure.used));
  EXPECT_FALSE(is_prominent(*find(figure, "l2"), shown, figure.used));
  // Nothing is known of a machine alone.
  EXPECT_TRUE(is_prominent(*find(figure, "fp32"), shown, {}));
}

TEST(RooflinePlane, TheLargestSavingsHaveARing) {
  analysis::RunAnalysis run = run_of({{1, 1e12}, {10, 1e13}, {100, 1e14}, {300, 5e14}, {2, 3e12}});
  const double savings_s[] = {3e-3, 0, 1e-3, 2e-3, 5e-4};
  for (std::size_t i = 0; i < run.rows.size(); ++i) run.rows[i].saving_s = savings_s[i];
  const PlaneFigure figure = layout_roofline(two_by_two(), &run);
  const auto saving_s = [&](std::size_t i) { return figure.points[i].saving_s; };
  EXPECT_EQ(saving_s(0), 3e-3);
  EXPECT_EQ(saving_s(1), 0);
  EXPECT_EQ(saving_s(2), 1e-3);
  EXPECT_EQ(saving_s(3), 2e-3);
  EXPECT_EQ(saving_s(4), 0);  // the fourth

  const MeasureText measure = [](std::string_view text) {
    return TextSize{7.0 * static_cast<double>(text.size()), 14};
  };
  const PlaneLayout layout = lay_out_plane(figure, 900, 500, false, measure);
  const auto named = std::ranges::find(layout.mark_names, "k0: up to 3.00 ms", &NamedBox::text);
  EXPECT_NE(named, layout.mark_names.end());
  Drawing drawing;
  draw_plane(drawing, figure, layout, measure);
  std::size_t rings = 0;
  for (const Shape& shape : drawing.shapes()) {
    const Style& style = drawing.style_of(shape);
    rings += shape.kind == ShapeKind::mark && !style.fill && style == saving_ring_style() ? 1 : 0;
  }
  EXPECT_EQ(rings, 3u);
}

}  // namespace
}  // namespace mansard::figure
