// SPDX-License-Identifier: Apache-2.0
// A plane as a drawing that a reader zooms and moves, for whoever only maps and shows shapes: all
// lines, names, ticks and marks that any view of it has, each in its layer.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/drawing.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// A size of screen that names are laid out for. `key` is on in layers of that size.
struct ZoomSize {
  std::string key;
  double width = 0, height = 0;
  bool short_names = false;
  Rect plot = {};  // set by draw_zoomable_plane()
};

struct ZoomablePlane {
  Drawing drawing;  // in pixels of the first size
  std::vector<ZoomSize> sizes;
  // Points are outside of the figure's limits, so that a view may leave them.
  bool free = false;
};

// Keys of layers: those of `sizes`, of the tiers whose marks are shown ("hbm"), of the tiers whose
// lines stand out ("hbm-lines"), and "dense" while launches are drawn below the marks. Links as
// those of draw_plane(), {line, index into figure.lines}, {region, index} and {axis, 0 or 1} of its
// title. Marks of a kernel come in the order of its line through the tiers; rows from `max_rows` on
// have none.
ZoomablePlane draw_zoomable_plane(const PlaneFigure& figure, std::vector<ZoomSize> sizes,
                                  std::size_t max_rows, const MeasureText& measure);

}  // namespace mansard::figure
