// SPDX-License-Identifier: Apache-2.0
// The palette of reports/figure as CSS: each colored element carries both of its colors, and
// page.css takes the one of the reader's scheme.
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/palette.h"

namespace mansard::reports {

// :root variables of the surface, light and dark.
std::string theme_css();

// "--l:#2361d3;--d:#596ce7", for a style attribute: page.css takes the one of the reader's scheme.
std::string color_style(const figure::Ink& ink);

// SVG path of the class's shape around the origin; all shapes have the area of a circle of
// `radius_px`.
std::string class_shape(analysis::OperationClass operation_class, double radius_px);

// A small inline SVG in front of a name.
std::string class_mark(analysis::OperationClass operation_class);

}  // namespace mansard::reports
