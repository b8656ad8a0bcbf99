// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/line_labels.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/figure/machine_fixture.h"

namespace mansard::figure {
namespace {

using testing::bandwidth_ceiling;
using testing::compute_ceiling;
using testing::device;

TextSize measure_ascii(std::string_view text) {
  return {7.0 * static_cast<double>(text.size()), 14};
}

const Rect kMarginPlot{70, 20, 700, 480};
constexpr double kMarginLeft = 716;

std::vector<LineLabel> place(const PlaneFigure& figure, const Rect& plot = kMarginPlot,
                             std::span<const OrientedBox> obstacles = {}) {
  const LogScale x(figure.x.min, figure.x.max, plot.left, plot.right);
  const LogScale y(figure.y.min, figure.y.max, plot.bottom, plot.top);
  return place_line_labels(
      figure.lines, x, y,
      {.plot = plot, .margin_left = kMarginLeft, .labels = {}, .obstacles = obstacles},
      measure_ascii);
}

void expect_apart(const std::vector<LineLabel>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(labels[i].box, labels[j].box)) << i << " and " << j;
    }
  }
}

roofline::DeviceModel everything() {
  roofline::DeviceModel model = device(
      {bandwidth_ceiling(MemoryLevel::shared, 28e12), bandwidth_ceiling(MemoryLevel::sm_fill, 9e12),
       bandwidth_ceiling(MemoryLevel::l2, 10.3e12), bandwidth_ceiling(MemoryLevel::hbm, 4.1e12),
       bandwidth_ceiling(MemoryLevel::nvlink, 375e9), bandwidth_ceiling(MemoryLevel::pcie, 55e9)});
  double value = 31e12;
  for (const PrecisionInfo& p : kPrecisions) {
    model.ceilings.push_back(compute_ceiling(p.id, value));
    value *= 1.05;
  }
  return model;
}

TEST(Spread, DoesNotMoveDistantLabels) {
  const std::vector<double> wanted = {10, 40, 90};
  EXPECT_EQ(spread(wanted, 20, 0, 100), wanted);
}

TEST(Spread, PushesABlockApartAroundItsMean) {
  const std::vector<double> wanted = {50, 50, 50};
  EXPECT_EQ(spread(wanted, 10, 0, 100), (std::vector<double>{40, 50, 60}));
}

TEST(Spread, KeepsWithinItsEnds) {
  const std::vector<double> wanted = {-5, 1, 2, 99, 120};
  const auto placed = spread(wanted, 10, 0, 100);
  EXPECT_EQ(placed, (std::vector<double>{0, 10, 20, 90, 100}));
  for (std::size_t i = 1; i < placed.size(); ++i) EXPECT_GE(placed[i] - placed[i - 1], 10);
}

TEST(Spread, CompressesLabelsThatDoNotFit) {
  const auto placed = spread(std::vector<double>{1, 2, 3, 4, 5}, 10, 0, 20);
  EXPECT_EQ(placed, (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_TRUE(spread({}, 10, 0, 20).empty());
}

TEST(LineLabels, NeverCollideHoweverManyCeilings) {
  const PlaneFigure figure = layout_roofline(everything(), nullptr);
  ASSERT_EQ(figure.lines.size(), kPrecisions.size() + 6);
  for (const double width : {260.0, 420.0, 630.0, 1400.0}) {
    for (const double height : {90.0, 200.0, 460.0, 1000.0}) {
      const Rect plot{70, 20, 70 + width, 20 + height};
      const LogScale x(figure.x.min, figure.x.max, plot.left, plot.right);
      const LogScale y(figure.y.min, figure.y.max, plot.bottom, plot.top);
      const auto labels =
          place_line_labels(figure.lines, x, y, {plot, plot.right + 16, {}, {}}, measure_ascii);
      expect_apart(labels);
      for (const LineLabel& label : labels) {
        if (figure.lines[label.line].level) {
          EXPECT_TRUE(inside(label.box, plot));
        } else {
          EXPECT_GE(label.box.center.y - label.box.height / 2, plot.top - 1e-9);
          EXPECT_LE(label.box.center.y + label.box.height / 2, plot.bottom + 1e-9);
        }
      }
    }
  }
}

TEST(LineLabels, NameEveryCeilingIfThereIsRoom) {
  const PlaneFigure figure = layout_roofline(everything(), nullptr);
  EXPECT_EQ(place(figure, {70, 20, 1300, 700}).size(), figure.lines.size());
}

TEST(LineLabels, RunAlongASlope) {
  const PlaneFigure figure = layout_roofline(
      device({compute_ceiling(Precision::bf16, 800e12), bandwidth_ceiling(MemoryLevel::hbm, 4e12)}),
      nullptr);
  const LogScale x(figure.x.min, figure.x.max, kMarginPlot.left, kMarginPlot.right);
  const LogScale y(figure.y.min, figure.y.max, kMarginPlot.bottom, kMarginPlot.top);
  const double slope = std::atan2(-y.pixels_per_decade(), x.pixels_per_decade());
  bool seen = false;
  for (const LineLabel& label : place(figure)) {
    if (!figure.lines[label.line].level) continue;
    seen = true;
    EXPECT_NEAR(label.box.angle_rad, slope, 1e-9);
    // Above the line: at the label's x the line is lower on the screen.
    EXPECT_GT(y.map(4e12 * x.invert(label.box.center.x)), label.box.center.y);
  }
  EXPECT_TRUE(seen);
}

TEST(LineLabels, AvoidMarksIfPossible) {
  const PlaneFigure figure = layout_roofline(
      device({compute_ceiling(Precision::bf16, 800e12), bandwidth_ceiling(MemoryLevel::hbm, 4e12)}),
      nullptr);
  const auto free = place(figure);
  std::vector<OrientedBox> marks;
  for (const LineLabel& label : free) {
    if (figure.lines[label.line].level) marks.push_back({label.box.center, 20, 20, 0});
  }
  ASSERT_EQ(marks.size(), 1u);
  for (const LineLabel& label : place(figure, kMarginPlot, marks)) {
    EXPECT_FALSE(overlap(label.box, marks[0]));
  }
}

TEST(LineLabels, LeadersJoinLineAndText) {
  const PlaneFigure figure = layout_roofline(everything(), nullptr);
  const LogScale y(figure.y.min, figure.y.max, kMarginPlot.bottom, kMarginPlot.top);
  for (const LineLabel& label : place(figure)) {
    const PlaneLine& line = figure.lines[label.line];
    if (line.level) continue;
    EXPECT_NEAR(label.leader.a.y, y.map(line.value), 1e-9);
    EXPECT_NEAR(label.leader.a.x, kMarginPlot.right, 1e-9);
    EXPECT_DOUBLE_EQ(label.leader.b.y, label.box.center.y);
    EXPECT_LE(label.leader.b.x, kMarginLeft);
  }
}

TEST(LineLabels, SkipLinesOutOfView) {
  const PlaneFigure figure = layout_roofline(everything(), nullptr);
  const LogScale x(1e6, 1e7, kMarginPlot.left, kMarginPlot.right);
  const LogScale y(1, 10, kMarginPlot.bottom, kMarginPlot.top);
  EXPECT_TRUE(
      place_line_labels(figure.lines, x, y, {kMarginPlot, kMarginLeft, {}, {}}, measure_ascii)
          .empty());
}

PlaneLine iso(double x0, double y0, double x1, double y1, LabelPlace place) {
  PlaneLine line;
  line.label = "1 ms";
  line.kind = LineKind::iso;
  line.label_place = place;
  line.x0 = x0;
  line.y0 = y0;
  line.x1 = x1;
  line.y1 = y1;
  return line;
}

// A plot with 100 px per decade: the line is 300 px long, at y = 200 px.
TEST(LineLabels, StayAtTheirPreferredEnd) {
  const Rect plot{0, 0, 400, 400};
  const LogScale x(1, 1e4, 0, 400);
  const LogScale y(1, 1e4, 400, 0);
  const PlaneLine lines[] = {iso(1, 100, 1000, 100, LabelPlace::near_end)};
  const auto labels = place_line_labels(lines, x, y, {plot, 410, {}, {}}, measure_ascii);
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_NEAR(labels[0].box.center.x + labels[0].box.width / 2, 290, 1e-9);
  EXPECT_NEAR(labels[0].box.center.y + labels[0].box.height / 2, 197, 1e-9);
}

TEST(LineLabels, FollowAVerticalLineUpwards) {
  const Rect plot{0, 0, 400, 400};
  const LogScale x(1, 1e4, 0, 400);
  const LogScale y(1, 1e4, 400, 0);
  const PlaneLine lines[] = {iso(100, 1, 100, 1e4, LabelPlace::near_start)};
  const auto labels = place_line_labels(lines, x, y, {plot, 410, {}, {}}, measure_ascii);
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_NEAR(labels[0].box.angle_rad, -std::numbers::pi / 2, 1e-9);
  EXPECT_LT(labels[0].box.center.x, 200);
  EXPECT_GT(labels[0].box.center.y, 300);
}

TEST(LineLabels, OfIsoLinesAreDroppedRatherThanCoverAMark) {
  const Rect plot{0, 0, 400, 400};
  const LogScale x(1, 1e4, 0, 400);
  const LogScale y(1, 1e4, 400, 0);
  PlaneLine lines[] = {iso(1, 100, 1000, 100, LabelPlace::near_end)};
  const OrientedBox marks[] = {{{150, 200}, 300, 60, 0}};
  EXPECT_TRUE(place_line_labels(lines, x, y, {plot, 410, {}, marks}, measure_ascii).empty());
  lines[0].kind = LineKind::boundary;
  EXPECT_EQ(place_line_labels(lines, x, y, {plot, 410, {}, marks}, measure_ascii).size(), 1u);
  lines[0].label.clear();
  EXPECT_TRUE(place_line_labels(lines, x, y, {plot, 410, {}, {}}, measure_ascii).empty());
}

// Dashed lines cross the whole line and a mark covers its preferred end: the label moves away from
// the mark.
TEST(LineLabels, PreferCrossingAFaintLineToCoveringAMark) {
  const Rect plot{0, 0, 400, 400};
  const LogScale x(1, 1e4, 0, 400);
  const LogScale y(1, 1e4, 400, 0);
  std::vector<PlaneLine> lines = {iso(1, 100, 1e4, 100, LabelPlace::near_start)};
  lines[0].kind = LineKind::boundary;
  for (double at = 1.2; at < 1e4; at *= 1.3) {
    lines.push_back(iso(at, 1, at, 1e4, LabelPlace::near_start));
    lines.back().label.clear();
  }
  const OrientedBox marks[] = {{{50, 190}, 100, 40, 0}};
  const auto labels = place_line_labels(lines, x, y, {plot, 410, {}, marks}, measure_ascii);
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_FALSE(overlap(labels[0].box, marks[0]));
  EXPECT_LT(labels[0].box.center.x, 150);
}

TEST(LineLabels, AvoidNamesOfRegions) {
  const Rect plot{0, 0, 400, 400};
  const LogScale x(1, 1e4, 0, 400);
  const LogScale y(1, 1e4, 400, 0);
  PlaneLine diagonal = iso(1, 1, 1e4, 1e4, LabelPlace::near_start);
  diagonal.kind = LineKind::boundary;
  const PlaneRegion regions[] = {{"b", "bottom", Corner::bottom_left, 0, 0, {}},
                                 {"t", "top", Corner::top_left, 0, 0, {}},
                                 {"r", "right", Corner::bottom_right, 0, 0, {}},
                                 {"n", "", Corner::bottom_left, 5, 5, {}}};
  const auto names = place_region_labels(regions, plot, measure_ascii);
  ASSERT_EQ(names.size(), 3u);
  std::vector<OrientedBox> boxes;
  for (const RegionLabel& name : names) {
    EXPECT_TRUE(inside(name.box, plot));
    boxes.push_back(name.box);
  }
  EXPECT_GT(boxes[0].center.y, 370);
  EXPECT_LT(boxes[1].center.y, 30);
  EXPECT_GT(boxes[2].center.x, 350);
  const PlaneLine lines[] = {diagonal};
  const auto labels = place_line_labels(lines, x, y, {plot, 410, boxes, {}}, measure_ascii);
  ASSERT_EQ(labels.size(), 1u);
  for (const OrientedBox& box : boxes) EXPECT_FALSE(overlap(labels[0].box, box));
  // Two names never share a corner, and none fits into a plot smaller than itself.
  const PlaneRegion same[] = {regions[0], regions[0]};
  EXPECT_EQ(place_region_labels(same, plot, measure_ascii).size(), 1u);
  EXPECT_TRUE(place_region_labels(regions, {0, 0, 20, 20}, measure_ascii).empty());
}

}  // namespace
}  // namespace mansard::figure
