// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/ceiling_labels.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/figure/machine_fixture.h"

namespace mansard {
namespace {

using testing::bandwidth_ceiling;
using testing::compute_ceiling;
using testing::device;

TextSize measure(std::string_view text) { return {7.0 * static_cast<double>(text.size()), 14}; }

const Rect kPlot{70, 20, 700, 480};
constexpr double kMarginLeft = 716;

std::vector<CeilingLabel> place(const RooflineFigure& figure, const Rect& plot = kPlot,
                                std::span<const OrientedBox> obstacles = {}) {
  const LogScale x(figure.x_min, figure.x_max, plot.left, plot.right);
  const LogScale y(figure.y_min, figure.y_max, plot.bottom, plot.top);
  return place_ceiling_labels(figure, x, y, plot, kMarginLeft, obstacles, measure);
}

void expect_apart(const std::vector<CeilingLabel>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(labels[i].box, labels[j].box)) << i << " and " << j;
    }
  }
}

DeviceModel everything() {
  DeviceModel model = device(
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

TEST(Spread, LeavesRoomyLabelsAlone) {
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

TEST(Spread, CompressesWhatCannotFit) {
  const auto placed = spread(std::vector<double>{1, 2, 3, 4, 5}, 10, 0, 20);
  EXPECT_EQ(placed, (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_TRUE(spread({}, 10, 0, 20).empty());
}

TEST(CeilingLabels, NeverCollideHoweverManyCeilings) {
  const RooflineFigure figure = layout_roofline(everything(), nullptr);
  ASSERT_EQ(figure.lines.size(), kPrecisions.size() + 6);
  for (const double width : {260.0, 420.0, 630.0, 1400.0}) {
    for (const double height : {90.0, 200.0, 460.0, 1000.0}) {
      const Rect plot{70, 20, 70 + width, 20 + height};
      const LogScale x(figure.x_min, figure.x_max, plot.left, plot.right);
      const LogScale y(figure.y_min, figure.y_max, plot.bottom, plot.top);
      const auto labels = place_ceiling_labels(figure, x, y, plot, plot.right + 16, {}, measure);
      expect_apart(labels);
      for (const CeilingLabel& label : labels) {
        if (figure.lines[label.line].diagonal) {
          EXPECT_TRUE(inside(label.box, plot));
        } else {
          EXPECT_GE(label.box.centre.y - label.box.height / 2, plot.top - 1e-9);
          EXPECT_LE(label.box.centre.y + label.box.height / 2, plot.bottom + 1e-9);
        }
      }
    }
  }
}

TEST(CeilingLabels, NameEveryCeilingWhereThereIsRoom) {
  const RooflineFigure figure = layout_roofline(everything(), nullptr);
  EXPECT_EQ(place(figure, {70, 20, 1300, 700}).size(), figure.lines.size());
}

TEST(CeilingLabels, OfASlopeRunAlongIt) {
  const RooflineFigure figure = layout_roofline(
      device({compute_ceiling(Precision::bf16, 800e12), bandwidth_ceiling(MemoryLevel::hbm, 4e12)}),
      nullptr);
  const LogScale x(figure.x_min, figure.x_max, kPlot.left, kPlot.right);
  const LogScale y(figure.y_min, figure.y_max, kPlot.bottom, kPlot.top);
  const double slope = std::atan2(-y.pixels_per_decade(), x.pixels_per_decade());
  bool seen = false;
  for (const CeilingLabel& label : place(figure)) {
    if (!figure.lines[label.line].diagonal) continue;
    seen = true;
    EXPECT_NEAR(label.box.angle_rad, slope, 1e-9);
    // Above the line: at the label's x the line lies lower on the screen.
    EXPECT_GT(y.map(4e12 * x.invert(label.box.centre.x)), label.box.centre.y);
  }
  EXPECT_TRUE(seen);
}

TEST(CeilingLabels, AvoidMarksWhereTheyCan) {
  const RooflineFigure figure = layout_roofline(
      device({compute_ceiling(Precision::bf16, 800e12), bandwidth_ceiling(MemoryLevel::hbm, 4e12)}),
      nullptr);
  const auto free = place(figure);
  std::vector<OrientedBox> marks;
  for (const CeilingLabel& label : free) {
    if (figure.lines[label.line].diagonal) marks.push_back({label.box.centre, 20, 20, 0});
  }
  ASSERT_EQ(marks.size(), 1u);
  for (const CeilingLabel& label : place(figure, kPlot, marks)) {
    EXPECT_FALSE(overlap(label.box, marks[0]));
  }
}

TEST(CeilingLabels, LeadersJoinLineAndText) {
  const RooflineFigure figure = layout_roofline(everything(), nullptr);
  const LogScale y(figure.y_min, figure.y_max, kPlot.bottom, kPlot.top);
  for (const CeilingLabel& label : place(figure)) {
    const RoofLine& line = figure.lines[label.line];
    if (line.diagonal) continue;
    EXPECT_NEAR(label.leader.a.y, y.map(line.value), 1e-9);
    EXPECT_NEAR(label.leader.a.x, kPlot.right, 1e-9);
    EXPECT_DOUBLE_EQ(label.leader.b.y, label.box.centre.y);
    EXPECT_LE(label.leader.b.x, kMarginLeft);
  }
}

TEST(CeilingLabels, SkipLinesOutOfView) {
  const RooflineFigure figure = layout_roofline(everything(), nullptr);
  const LogScale x(1e6, 1e7, kPlot.left, kPlot.right);
  const LogScale y(1, 10, kPlot.bottom, kPlot.top);
  EXPECT_TRUE(place_ceiling_labels(figure, x, y, kPlot, kMarginLeft, {}, measure).empty());
}

}  // namespace
}  // namespace mansard
