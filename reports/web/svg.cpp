// SPDX-License-Identifier: Apache-2.0
#include "reports/web/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reports/web/html.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

std::string attribute(const char* name, std::string_view value) {
  if (value.empty()) return {};
  return std::string(" ") + name + "=\"" + std::string(value) + '"';
}

std::string attribute(const char* name, double value) { return attribute(name, svg_number(value)); }

}  // namespace

std::string svg_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", std::isfinite(value) ? value : 0.0);
  return text;
}

figure::TextSize svg_text_size(std::string_view text) {
  constexpr double kCharacter_px = 6.6;
  constexpr double kLine_px = 15;
  return {kCharacter_px * display_width(text), kLine_px};
}

Svg::Svg(double width, double height, std::string_view css_class, std::string_view description) {
  out_ = "<svg" + attribute("class", css_class) + " viewBox=\"0 0 " + svg_number(width) + ' ' +
         svg_number(height) + "\" role=\"img\" aria-label=\"" + std::string(description) + "\">\n";
}

void Svg::line(figure::Point a, figure::Point b, std::string_view css_class,
               std::string_view style) {
  out_ += "<line" + attribute("class", css_class) + attribute("style", style) +
          attribute("x1", a.x) + attribute("y1", a.y) + attribute("x2", b.x) +
          attribute("y2", b.y) + "/>\n";
}

void Svg::path(std::string_view d, std::string_view css_class, std::string_view style,
               figure::Point at, std::string_view tooltip) {
  out_ += "<path" + attribute("class", css_class) + attribute("style", style) + attribute("d", d);
  if (at.x != 0 || at.y != 0) {
    out_ += " transform=\"translate(" + svg_number(at.x) + ',' + svg_number(at.y) + ")\"";
  }
  out_ += tooltip.empty() ? "/>\n" : "><title>" + escape_html(tooltip) + "</title></path>\n";
}

void Svg::rect(const figure::Rect& area, std::string_view css_class, std::string_view style,
               std::string_view tooltip) {
  out_ += "<rect" + attribute("class", css_class) + attribute("style", style) +
          attribute("x", area.left) + attribute("y", area.top) +
          attribute("width", std::max(0.0, area.width())) +
          attribute("height", std::max(0.0, area.height()));
  out_ += tooltip.empty() ? "/>\n" : "><title>" + escape_html(tooltip) + "</title></rect>\n";
}

// An inner <svg> clips what it holds without an id, of which a page of many figures has to keep
// each apart; with a view box equal to its place it changes no coordinates.
void Svg::open_clip(const figure::Rect& area) {
  const std::string place[] = {svg_number(area.left), svg_number(area.top),
                               svg_number(area.width()), svg_number(area.height())};
  out_ += "<svg" + attribute("x", place[0]) + attribute("y", place[1]) +
          attribute("width", place[2]) + attribute("height", place[3]) +
          attribute("viewBox", place[0] + ' ' + place[1] + ' ' + place[2] + ' ' + place[3]) + ">\n";
}

void Svg::close_clip() { out_ += "</svg>\n"; }

void Svg::lines(std::span<const figure::Segment> lines, std::string_view css_class,
                std::string_view style) {
  if (lines.empty()) return;
  std::string d;
  for (const figure::Segment& s : lines) {
    d += 'M' + svg_number(s.a.x) + ' ' + svg_number(s.a.y) + 'L' + svg_number(s.b.x) + ' ' +
         svg_number(s.b.y);
  }
  path(d, css_class, style);
}

void Svg::open_group(std::string_view tooltip) {
  out_ += "<g><title>" + escape_html(tooltip) + "</title>\n";
}

void Svg::close_group() { out_ += "</g>\n"; }

void Svg::text(const figure::PlacedText& placed, std::string_view css_class) {
  constexpr double kBaseline_px = 4;  // below the middle of a line
  const figure::Rect& box = placed.box;
  const double middle = (box.left + box.right) / 2;
  const double y = (box.top + box.bottom) / 2 + kBaseline_px;
  switch (placed.anchor) {
    case figure::TextAnchor::start:
      return text({box.left, y}, "start", placed.text, css_class);
    case figure::TextAnchor::middle:
      return text({middle, y}, "middle", placed.text, css_class);
    case figure::TextAnchor::end:
      return text({box.right, y}, "end", placed.text, css_class);
  }
}

void Svg::text(figure::Point at, std::string_view anchor, std::string_view content,
               std::string_view css_class, double angle_deg, std::string_view style) {
  out_ += "<text" + attribute("class", css_class) + attribute("style", style) +
          attribute("text-anchor", anchor);
  if (angle_deg == 0) {
    out_ += attribute("x", at.x) + attribute("y", at.y);
  } else {
    out_ += " transform=\"translate(" + svg_number(at.x) + ',' + svg_number(at.y) + ") rotate(" +
            svg_number(angle_deg) + ")\"";
  }
  out_ += '>' + escape_html(content) + "</text>\n";
}

std::string Svg::finish() && { return std::move(out_) + "</svg>\n"; }

}  // namespace mansard::reports
