// SPDX-License-Identifier: Apache-2.0
// A plane as a drawing with zoom and pan: it has all lines, names, ticks and marks of any view,
// each in a layer, so that a renderer only has to map and show shapes.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/drawing.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// A screen size for which labels are placed. `key` is on in layers of that size.
struct ZoomSize {
  std::string key;
  double width = 0, height = 0;
  bool short_names = false;
  Rect plot = {};  // set by draw_zoomable_plane()
};

struct ZoomablePlane {
  Drawing drawing;  // in pixels of the first size
  std::vector<ZoomSize> sizes;
  // Whether points are outside of the figure's limits, so that a view may leave the limits.
  bool free = false;
};

// Keys of layers: those of `sizes`, of the tiers whose marks are shown ("hbm"), of the tiers whose
// lines are highlighted ("hbm-lines"), "first" in the view that is shown first, and "dense" while
// launches are drawn below the marks. Links: those of draw_plane(), {line, index into
// figure.lines}, {region, index} {axis, 0 or 1} for an axis title, and {axis, 2 to 5} for empty
// texts at the left, right, bottom and top edge, in which the renderer counts the points outside
// the view (beyond_text()). Rings have part 2. Marks of a kernel are in the order of its tiers;
// rows from `max_rows` on have no marks.
ZoomablePlane draw_zoomable_plane(const PlaneFigure& figure, std::vector<ZoomSize> sizes,
                                  std::size_t max_rows, const MeasureText& measure);

}  // namespace mansard::figure
