// SPDX-License-Identifier: Apache-2.0
// Flame graph of NVTX ranges: a box per path of nested ranges, as wide as the device time of the
// kernels launched in it, below the box of the range around it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/range_tree.h"
#include "reports/figure/drawing.h"

namespace mansard::figure {

struct FlameBox {
  std::size_t path = 0;  // into RangeTree::paths
  Rect rect;
  std::string name;                               // fitted; may be empty
  analysis::OperationClass operation_class = {};  // with more than half of the time; "": none
  bool around = false;                            // a range around `root`, as wide as the figure
};

struct FlameGraph {
  double width = 0;
  double height = 0;
  std::vector<FlameBox> boxes;  // from top to bottom, in a row from left to right
  std::size_t narrow = 0;       // paths that are less than a pixel wide, which are not drawn
};

// Shows the paths in `root` (0: all) at full width, below those around it. Siblings keep their
// order; time in no nested range is the free space at the right. `tree` must not be empty.
FlameGraph layout_flame_graph(const analysis::RangeTree& tree, std::size_t root, double width_px,
                              const MeasureText& measure);

// Links: {bar, path}, with a tooltip. The box of `marked` is outlined.
Drawing draw(const FlameGraph& graph, const analysis::RangeTree& tree,
             std::optional<std::size_t> marked = {});

// "forward › layers.#"; the root: "typical step" or "whole profile".
std::string path_text(const analysis::RangeTree& tree, std::size_t path);

// Path, device time with its share of all, self time, SOL % and potential saving, classes; a line
// each.
std::string describe(const analysis::RangeTree& tree, std::size_t path);

}  // namespace mansard::figure
