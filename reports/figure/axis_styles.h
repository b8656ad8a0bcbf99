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

// Style of an area filled with a color of the surface.
inline StyleId surface_fill(Drawing& out, Rgb Surface::*role, float opacity = 1) {
  return out.style(filled(surface_ink(role), opacity));
}

}  // namespace mansard::figure
