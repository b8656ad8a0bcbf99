// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/mark_labels.h"

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

constexpr Rect kPlot{0, 0, 400, 300};

OrientedBox box_of(const Mark& m) { return {m.center, 2 * m.radius, 2 * m.radius, 0}; }

TEST(MarkLabels, AreRightOfTheMarkIfThereIsRoom) {
  const std::vector<Mark> marks = {{{100, 100}, 10, 0, 1, 0}};
  const std::vector<TextSize> sizes = {{60, 14}};
  const auto labels = place_mark_labels(marks, sizes, kPlot, {}, {});
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_GT(labels[0].box.center.x - labels[0].box.width / 2, 110);
  EXPECT_DOUBLE_EQ(labels[0].box.center.y, 100);
}

TEST(MarkLabels, AreLeftOfTheMarkAtTheEdge) {
  const std::vector<Mark> marks = {{{390, 100}, 10, 0, 1, 0}};
  const std::vector<TextSize> sizes = {{60, 14}};
  const auto labels = place_mark_labels(marks, sizes, kPlot, {}, {});
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_LT(labels[0].box.center.x + labels[0].box.width / 2, 380);
}

TEST(MarkLabels, CoverNeitherMarksNorObstaclesNorEachOther) {
  std::vector<Mark> marks;
  for (int i = 0; i < 60; ++i) {
    marks.push_back({{20.0 + 37 * i % 370, 15.0 + 53 * i % 280}, 8, 0, 1, 0});
  }
  const std::vector<TextSize> sizes(marks.size(), TextSize{50, 12});
  const std::vector<OrientedBox> obstacles = {{{200, 150}, 300, 3, -0.6}};
  const auto labels = place_mark_labels(marks, sizes, kPlot, obstacles, {});
  EXPECT_GT(labels.size(), 5u);
  EXPECT_LT(labels.size(), marks.size());  // there cannot be room for all
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_TRUE(inside(labels[i].box, kPlot));
    EXPECT_FALSE(overlap(labels[i].box, obstacles[0]));
    for (const Mark& m : marks) EXPECT_FALSE(overlap(labels[i].box, box_of(m)));
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(labels[i].box, labels[j].box));
  }
}

TEST(MarkLabels, CrossALineRatherThanBeDropped) {
  const std::vector<Mark> marks = {{{100, 100}, 10, 0, 1, 0}};
  const std::vector<TextSize> sizes = {{60, 14}};
  // On the right of the mark only: the label turns away.
  const std::vector<OrientedBox> right = {{{150, 100}, 60, 2, 0}};
  const auto turned = place_mark_labels(marks, sizes, kPlot, {}, right);
  ASSERT_EQ(turned.size(), 1u);
  EXPECT_FALSE(overlap(turned[0].box, right[0]));
  // Everywhere: the best place is as good as any.
  const std::vector<OrientedBox> everywhere = {{{100, 100}, 400, 200, 0}};
  const auto crossed = place_mark_labels(marks, sizes, kPlot, {}, everywhere);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_GT(crossed[0].box.center.x, 110);
}

TEST(MarkLabels, OnlyMarksWithASizeAreNamed) {
  const std::vector<Mark> marks = {{{50, 50}, 10, 0, 1, 0}, {{250, 200}, 5, 1, 1, 0}};
  const std::vector<TextSize> sizes = {{40, 14}};
  const auto labels = place_mark_labels(marks, sizes, kPlot, {}, {});
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels[0].mark, 0u);
  EXPECT_TRUE(place_mark_labels({}, {}, kPlot, {}, {}).empty());
}

}  // namespace
}  // namespace mansard::figure
