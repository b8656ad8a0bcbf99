// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/figure/drawing.h"

namespace mansard::figure {

// Styles of the lines behind a chart.
struct AxisStyles {
  StyleId grid;
  StyleId axis;
};

inline AxisStyles axis_styles(Drawing& out) {
  Style line = stroked(surface_ink(&Surface::grid));
  line.crisp = true;
  const StyleId grid = out.style(line);
  line.stroke = surface_ink(&Surface::axis);
  return {grid, out.style(line)};
}

}  // namespace mansard::figure
