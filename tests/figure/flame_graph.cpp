// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/flame_graph.h"

#include <algorithm>

#include "tests/figure/chart_fixture.h"

namespace mansard::figure {
namespace {

// 10 ms per step: 6 ms in "forward", of which 4 ms in "layer", and 3 ms in "backward".
analysis::RangeTree three_ranges() {
  analysis::RangeTree tree;
  tree.by_step = true;
  const auto add = [&](const char* name, std::size_t parent, std::size_t depth, double time_s,
                       double self_s, const char* of_class) {
    analysis::RangePath path;
    path.name = name;
    path.parent = parent;
    path.depth = depth;
    path.time_s = path.cost_s = time_s;
    path.sol_s = time_s / 2;
    path.saving_s = time_s / 2;
    path.self_s = self_s;
    path.class_s[of_class] = time_s;
    tree.paths.push_back(path);
  };
  add("", 0, 0, 10e-3, 1e-3, "gemm");
  add("forward", 0, 1, 6e-3, 2e-3, "gemm");
  add("layer", 1, 2, 4e-3, 4e-3, "attention");
  add("backward", 0, 1, 3e-3, 3e-3, "gemm");
  add("tiny", 3, 2, 1e-9, 1e-9, "gemm");
  return tree;
}

FlameGraph flames(const analysis::RangeTree& tree, std::size_t root = 0, double width_px = 820) {
  return layout_flame_graph(tree, root, width_px, testing::measure_text);
}

const FlameBox& box_of(const FlameGraph& graph, std::size_t path) {
  return *std::ranges::find(graph.boxes, path, &FlameBox::path);
}

TEST(FlameGraph, WidthIsDeviceTime) {
  const FlameGraph graph = flames(three_ranges());
  ASSERT_EQ(graph.boxes.size(), 4u);
  EXPECT_EQ(graph.narrow, 1u);
  const double whole = box_of(graph, 0).rect.width();
  EXPECT_NEAR(whole, 800, 1e-9);
  EXPECT_NEAR(box_of(graph, 1).rect.width(), 0.6 * whole, 1e-9);
  EXPECT_NEAR(box_of(graph, 2).rect.width(), 0.4 * whole, 1e-9);
  EXPECT_NEAR(box_of(graph, 3).rect.left, box_of(graph, 1).rect.right, 1e-9);
  EXPECT_GT(box_of(graph, 2).rect.top, box_of(graph, 1).rect.bottom);
  EXPECT_EQ(box_of(graph, 2).operation_class, "attention");
  EXPECT_EQ(box_of(graph, 1).name, "forward  6.00 ms");
  testing::expect_within(box_of(graph, 3).rect, {0, 0, graph.width, graph.height}, "backward");
}

TEST(FlameGraph, APathFillsTheWidthBelowThoseAroundIt) {
  const FlameGraph graph = flames(three_ranges(), 2);
  ASSERT_EQ(graph.boxes.size(), 3u);
  for (const FlameBox& box : graph.boxes) EXPECT_NEAR(box.rect.width(), 800, 1e-9);
  EXPECT_TRUE(box_of(graph, 0).around && box_of(graph, 1).around);
  EXPECT_FALSE(box_of(graph, 2).around);
}

TEST(FlameGraph, TooltipsSayTimesAndSavings) {
  const analysis::RangeTree tree = three_ranges();
  EXPECT_EQ(path_text(tree, 2), "forward \u203a layer");
  EXPECT_EQ(describe(tree, 1),
            "forward\nDevice time: 6.00 ms per step (60.0 % of the kernel time)\n"
            "Self time: 2.00 ms per step, in no nested range\nSOL %: 50.0 %\n"
            "Potential saving: 3.00 ms per step\nClasses: gemm 100.0 %");
  const Drawing drawing = draw(flames(tree), tree, 1);
  const Rect& forward = box_of(flames(tree), 1).rect;
  const auto link = link_at(drawing, {forward.left + 2, forward.top + 2});
  ASSERT_TRUE(link);
  EXPECT_EQ(*link, (Link{Link::To::bar, 1}));
  EXPECT_EQ(*drawing.title(*link), describe(tree, 1));
}

TEST(FlameGraph, NamesStayInsideTheirBoxes) {
  analysis::RangeTree tree = three_ranges();
  for (analysis::RangePath& path : tree.paths) path.name += std::string(300, 'x');
  for (const double width_px : {1.0, 30.0, 360.0, 1600.0}) {
    for (const FlameBox& box : flames(tree, 0, width_px).boxes) {
      EXPECT_LE(testing::measure_text(box.name).width, std::max(0.0, box.rect.width()));
    }
  }
}

TEST(FlameGraph, ClassesWithoutMajorityAreMixed) {
  analysis::RangeTree tree = three_ranges();
  tree.paths[1].class_s = {{"gemm", 3e-3}, {"attention", 3e-3}};
  EXPECT_TRUE(box_of(flames(tree), 1).operation_class.empty());
}

}  // namespace
}  // namespace mansard::figure
