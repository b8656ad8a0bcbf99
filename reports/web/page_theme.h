// SPDX-License-Identifier: Apache-2.0
// The palette of reports/figure as CSS. Each colored element has a light and a dark color; page.css
// selects the one of the user's color scheme.
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/palette.h"

namespace mansard::reports {

// CSS variables of the surface colors for :root, light and dark.
std::string theme_css();

// A style attribute with the light and dark color: "--l:#2361d3;--d:#596ce7".
std::string color_style(const figure::Ink& ink);

// SVG path of the mark of a class, centered at the origin. All shapes have the area of a circle of
// `radius_px`.
std::string class_shape(analysis::OperationClass operation_class, double radius_px);

// A small inline SVG with the mark of a class, for use before a name.
std::string class_mark(analysis::OperationClass operation_class);

}  // namespace mansard::reports
