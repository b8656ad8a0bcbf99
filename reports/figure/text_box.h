// SPDX-License-Identifier: Apache-2.0
// Text in a figure: how large whoever draws it will make it, and where it stands.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "reports/figure/geometry.h"

namespace mansard::figure {

struct TextSize {
  double width = 0;
  double height = 0;
};

// In pixels, of one line in the font of the figure.
using MeasureText = std::function<TextSize(std::string_view)>;

enum class TextAnchor { start, middle, end };

struct PlacedText {
  std::string text;                       // one line of well-formed UTF-8
  Rect box;                               // as measured
  TextAnchor anchor = TextAnchor::start;  // the side of the box that holds if drawing differs
};

// `text`, one line of well-formed UTF-8, or what fits of it with its middle left out. Empty where
// not even the ellipsis fits.
std::string fit_text(std::string_view text, double width, const MeasureText& measure);

// The text in a box whose anchor is at `x` and whose middle is at `y`.
PlacedText place_text(std::string text, TextAnchor anchor, double x, double y,
                      const MeasureText& measure);

}  // namespace mansard::figure
