// SPDX-License-Identifier: Apache-2.0
// Writes a drawing as SVG.
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/drawing.h"

namespace mansard::figure {

struct SvgOptions {
  std::string css_class = {};    // class of the <svg> element
  std::string description = {};  // text alternative, plain text
  bool standalone = false;       // a file with font and background instead of a page element
};

inline constexpr double kBaseline_px = 4;  // below the middle of a line of 12 px text

// The CSS variables of the surface roles, which the page defines (reports/web/page_theme.h).
struct SurfaceVariable {
  std::string_view name;  // "--text"
  Rgb Surface::*role;
};
inline constexpr SurfaceVariable kSurfaceVariables[] = {
    {"--background", &Surface::background},
    {"--roof", &Surface::roof},
    {"--grid", &Surface::grid},
    {"--grid-minor", &Surface::grid_minor},
    {"--axis", &Surface::axis},
    {"--text", &Surface::text},
    {"--faint", &Surface::faint_text},
    {"--compute", &Surface::compute},
    {"--accent", &Surface::accent},
    {"--loss", &Surface::loss},
    {"--gain", &Surface::gain},
};

std::string to_svg(const Drawing& drawing, const SvgOptions& options);

// CSS declarations of a style, for a text or another shape. `in_page`: surface colors use the
// variables of the page.
std::string css_style(const Style& style, bool text, bool in_page);

// Path data of a mark centered at the origin: "M0 -5L...Z".
std::string mark_path(MarkShape shape, double radius);

// A CSS declaration of `property`: "fill:#2361d3". If the themes differ, a second declaration with
// light-dark() selects the color of the user's scheme; programs without light-dark() ignore it.
std::string css_color(std::string_view property, const Ink& ink);

// Estimated size of a line of text in the page's 12 px sans serif font. Overestimates the width, so
// that texts do not overlap.
TextSize page_text_size(std::string_view text);

}  // namespace mansard::figure
