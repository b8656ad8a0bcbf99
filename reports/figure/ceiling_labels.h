// SPDX-License-Identifier: Apache-2.0
// Where the names of the ceilings go, so that none covers another: compute ceilings in the margin
// to the right of the plot, pushed apart where they lie close; bandwidths along their slope.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "reports/figure/geometry.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/roofline_figure.h"

namespace mansard {

struct TextSize {
  double width = 0;
  double height = 0;
};

struct CeilingLabel {
  std::size_t line = 0;  // into RooflineFigure::lines
  OrientedBox box;       // the text, centred in it
  Segment leader;        // in the margin: from the line's end to the text
};

// Centres in the order of `wanted` (rising), each as near to its wanted place as keeps neighbours
// `extent` apart and all of them between `low` and `high`. Of least squared displacement; the ends
// are kept even where the labels cannot all fit.
std::vector<double> spread(std::span<const double> wanted, double extent, double low, double high);

// Labels of the lines that cross `plot`. Those of horizontal lines start at `margin_left`, at the
// right of the plot; where more lines cross than there is room for, the lower neighbours of close
// pairs go unnamed. A slope's label keeps clear of the other labels always, and of other lines and
// of `obstacles` (marks) where it can.
std::vector<CeilingLabel> place_ceiling_labels(
    const RooflineFigure& figure, const LogScale& x, const LogScale& y, const Rect& plot,
    double margin_left, std::span<const OrientedBox> obstacles,
    const std::function<TextSize(std::string_view)>& measure);

}  // namespace mansard
