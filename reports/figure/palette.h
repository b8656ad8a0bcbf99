// SPDX-License-Identifier: Apache-2.0
// Colors and shapes of all figures, light and dark. Colors of marks and tiers have a contrast of at
// least 3:1 with the background (WCAG 2.1, 1.4.11) and are distinguishable with color vision
// deficiencies. Classes of one color differ by shape, so color is never the only distinction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/classify/operation_class.h"
#include "kernels/vocabulary/memory_level.h"

namespace mansard::figure {

enum class Theme { light, dark };

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Rgb&) const = default;
};

std::string to_hex(Rgb color);  // "#2361d3"

// WCAG 2.1: from 1 (equal) to 21 (black on white).
double contrast_ratio(Rgb a, Rgb b);

// A color in both themes, so that one drawing works for both.
struct Ink {
  Rgb light;
  Rgb dark;

  Rgb in(Theme theme) const { return theme == Theme::light ? light : dark; }
  bool operator==(const Ink&) const = default;
};

// Interpolates from `a` (0) to `b` (1).
Rgb mixed(Rgb a, Rgb b, double share_of_b);
Ink mixed(const Ink& a, const Ink& b, double share_of_b);

// Black or white per theme, whichever has the higher contrast with `ground`.
Ink readable_on(const Ink& ground);

// The nearest color, mixed with the theme's text color, that is legible as text on the background
// (contrast of 4.5, WCAG 2.1 AA).
Ink legible(const Ink& ink);

enum class MarkShape { circle, square, diamond, triangle_up, triangle_down, hexagon };

struct MarkStyle {
  Rgb color;
  MarkShape shape = MarkShape::circle;
};

// Style of a class of analyzer/classify: one color per kind of class (for example all conversions
// of number formats) and one shape per class of that kind. Unknown classes are gray.
MarkStyle mark_style(analysis::OperationClass operation_class, Theme theme);

Ink class_ink(analysis::OperationClass operation_class);
MarkShape class_shape(analysis::OperationClass operation_class);

// The number of earlier legend entries with the same color; distinguishes classes where shapes are
// not available. 0 for unknown classes.
std::size_t rank_in_color(analysis::OperationClass operation_class);

// Color of a tier's slope and marks.
Rgb tier_color(MemoryLevel level, Theme theme);
Ink tier_ink(MemoryLevel level);

// Color of a density, in one hue: from few (0) to many (1), with rising contrast with the
// background.
Rgb density_color(double amount, Theme theme);

struct Surface {
  Rgb background;
  Rgb roof;  // below the highest roof
  Rgb grid;  // decades
  Rgb grid_minor;
  Rgb axis;
  Rgb text;
  Rgb faint_text;
  Rgb compute;  // compute ceilings
  Rgb accent;   // selection
  Rgb loss;     // an increase in time
  Rgb gain;     // a decrease in time
};

const Surface& surface(Theme theme);
Ink surface_ink(Rgb Surface::*role);

}  // namespace mansard::figure
