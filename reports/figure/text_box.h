// SPDX-License-Identifier: Apache-2.0
// Size and position of text in a figure.
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

// Size in pixels of a line in the font of the figure.
using MeasureText = std::function<TextSize(std::string_view)>;

enum class TextAnchor { start, middle, end };

struct PlacedText {
  std::string text;  // one line of valid UTF-8
  Rect box;          // as measured
  TextAnchor anchor =
      TextAnchor::start;  // the side of the box that is exact if the drawn width differs
};

// Returns `text` (one line of valid UTF-8), truncated in the middle if necessary. Empty if not even
// the ellipsis fits.
std::string fit_text(std::string_view text, double width, const MeasureText& measure);

// Places a text with its anchor at `x` and its middle at `y`.
PlacedText place_text(std::string text, TextAnchor anchor, double x, double y,
                      const MeasureText& measure);

}  // namespace mansard::figure
