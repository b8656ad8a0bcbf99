// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/text_box.h"

#include <algorithm>

#include "support/text.h"

namespace mansard::figure {
namespace {

constexpr double kRounding_px = 1e-6;  // tolerance for room computed from the text itself

}  // namespace

std::string fit_text(std::string_view text, double width, const MeasureText& measure) {
  width += kRounding_px;
  if (measure(text).width <= width) return std::string(text);
  // The width of a column depends on the font, but is at least one pixel.
  int too_wide = std::min(display_width(text), static_cast<int>(std::max(width, 0.0)) + 1);
  const std::string longest = truncate_middle(text, too_wide);
  int fits = 0;
  while (fits + 1 < too_wide) {
    const int middle = fits + (too_wide - fits) / 2;
    (measure(truncate_middle(longest, middle)).width <= width ? fits : too_wide) = middle;
  }
  return truncate_middle(longest, fits);
}

PlacedText place_text(std::string text, TextAnchor anchor, double x, double y,
                      const MeasureText& measure) {
  const TextSize size = measure(text);
  const double before = anchor == TextAnchor::start    ? 0
                        : anchor == TextAnchor::middle ? size.width / 2
                                                       : size.width;
  const double left = x - before;
  return {
      std::move(text), {left, y - size.height / 2, left + size.width, y + size.height / 2}, anchor};
}

}  // namespace mansard::figure
