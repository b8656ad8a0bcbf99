// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/roofline_figure.h"

namespace mansard {

struct FigureSize {
  double width = 960;
  double height = 520;
  std::string_view css_class = {};
};

// The roofline as it is first seen: all ceilings, and the points of one tier.
std::string roofline_svg(const RooflineFigure& figure, const FigureSize& size,
                         std::string_view escaped_description);

}  // namespace mansard
