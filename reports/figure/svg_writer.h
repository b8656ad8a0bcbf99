// SPDX-License-Identifier: Apache-2.0
// Writes a drawing as SVG.
#pragma once

#include <string>
#include <string_view>

#include "reports/figure/drawing.h"

namespace mansard::figure {

struct SvgOptions {
  std::string css_class = {};    // of the <svg> element
  std::string description = {};  // text alternative, plain text
  bool standalone = false;       // a file with font and background, not an element of a page
};

inline constexpr double kBaseline_px = 4;  // below the middle of a line of the page's 12 px

// The CSS variable of each surface role; the page defines them (reports/web/page_theme.h).
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

// CSS declarations of a style, of a text or of any other shape. `in_page`: the surface's colors are
// the variables of the page.
std::string css_style(const Style& style, bool text, bool in_page);

// Path data of a mark around the origin: "M0 -5L...Z".
std::string mark_path(MarkShape shape, double radius);

// A CSS declaration of `property`: "fill:#2361d3". Where the themes differ, it is followed by one
// that takes the color of the reader's scheme, which programs that do not know light-dark() skip.
std::string css_color(std::string_view property, const Ink& ink);

// Estimated size of one line in the page's 12 px sans serif, from its mean advance. Errs wide, so
// that texts stay apart.
TextSize page_text_size(std::string_view text);

}  // namespace mansard::figure
