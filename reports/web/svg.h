// SPDX-License-Identifier: Apache-2.0
// The few SVG elements that the page's static figures are made of. Colours come from page.css, so
// that a figure follows the reader's light or dark scheme.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/figure/geometry.h"
#include "reports/figure/text_box.h"

namespace mansard::reports {

struct FigureSize {
  double width = 960;
  double height = 520;
  std::string_view css_class = {};
};

class Svg {
 public:
  // `description` must be escaped already; it becomes the figure's text alternative.
  Svg(double width, double height, std::string_view css_class, std::string_view description);

  // `style` is colour_style() of theme.h, or empty for the class's own colour.
  void line(figure::Point a, figure::Point b, std::string_view css_class,
            std::string_view style = {});
  void path(std::string_view d, std::string_view css_class, std::string_view style,
            figure::Point at = {}, std::string_view tooltip = {});
  void rect(const figure::Rect& area, std::string_view css_class, std::string_view style = {},
            std::string_view tooltip = {});
  // All in one path, where there are any.
  void lines(std::span<const figure::Segment> lines, std::string_view css_class,
             std::string_view style = {});
  // Of what follows, up to close_clip(), only the part inside `area` is seen.
  void open_clip(const figure::Rect& area);
  void close_clip();
  // What is drawn until close_group() has this tooltip where it has none of its own.
  void open_group(std::string_view tooltip);
  void close_group();
  // anchor: "start", "middle" or "end". Turned clockwise about `at`.
  void text(figure::Point at, std::string_view anchor, std::string_view content,
            std::string_view css_class = {}, double angle_deg = 0, std::string_view style = {});
  void text(const figure::PlacedText& placed, std::string_view css_class = {});

  std::string finish() &&;

 private:
  std::string out_;
};

// One decimal: less than a device pixel on any screen.
std::string svg_number(double value);

// Of the page's 12 px sans serif: its mean advance, erring wide, which keeps texts apart.
figure::TextSize svg_text_size(std::string_view text);

}  // namespace mansard::reports
