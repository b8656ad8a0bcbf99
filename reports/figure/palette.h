// SPDX-License-Identifier: Apache-2.0
// Colors and shapes of every figure, in light and dark. The colors of marks and tiers keep a
// contrast of 3:1 with the background (WCAG 2.1, 1.4.11) and stay apart for people who do not see
// red, green or blue; classes of one color differ by shape, so no meaning hangs on color alone.
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

// A color in both themes, so that one drawing fits either.
struct Ink {
  Rgb light;
  Rgb dark;

  Rgb in(Theme theme) const { return theme == Theme::light ? light : dark; }
  bool operator==(const Ink&) const = default;
};

// On the way from `a` (0) to `b` (1).
Rgb mixed(Rgb a, Rgb b, double share_of_b);
Ink mixed(const Ink& a, const Ink& b, double share_of_b);

// Black or white in each theme, whichever has the higher contrast with `ground`.
Ink readable_on(const Ink& ground);

// The nearest color on the way to the theme's text color that is legible as text on the background
// (a contrast of 4.5, WCAG 2.1 AA).
Ink legible(const Ink& ink);

enum class MarkShape { circle, square, diamond, triangle_up, triangle_down, hexagon };

struct MarkStyle {
  Rgb color;
  MarkShape shape = MarkShape::circle;
};

// Of a class of analyzer/classify: one color for classes of a kind (all conversions of number
// formats, say), one shape each within it. A class not known here is gray.
MarkStyle mark_style(analysis::OperationClass operation_class, Theme theme);

Ink class_ink(analysis::OperationClass operation_class);
MarkShape class_shape(analysis::OperationClass operation_class);

// How many classes before this one in the legend have its color: tells them apart where a mark's
// shape cannot. 0 of a class that is not known.
std::size_t rank_in_color(analysis::OperationClass operation_class);

// Of a tier's slope and of marks that stand for a tier.
Rgb tier_color(MemoryLevel level, Theme theme);
Ink tier_ink(MemoryLevel level);

// Of a pixel in which many things lie, in one hue: from few (0) to many (1), ever farther from the
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
  Rgb loss;     // a difference for the worse
  Rgb gain;     // and for the better
};

const Surface& surface(Theme theme);
Ink surface_ink(Rgb Surface::*role);

}  // namespace mansard::figure
