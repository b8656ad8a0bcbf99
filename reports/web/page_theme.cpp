// SPDX-License-Identifier: Apache-2.0
#include "reports/web/page_theme.h"

#include <cmath>
#include <cstdio>
#include <numbers>

namespace mansard::reports {
namespace {

std::string variables(const figure::Surface& s) {
  const auto variable = [](const char* name, figure::Rgb colour) {
    return std::string("--") + name + ':' + figure::to_hex(colour) + ';';
  };
  return variable("background", s.background) + variable("roof", s.roof) +
         variable("grid", s.grid) + variable("grid-minor", s.grid_minor) +
         variable("axis", s.axis) + variable("text", s.text) + variable("faint", s.faint_text) +
         variable("compute", s.compute) + variable("accent", s.accent) + variable("loss", s.loss) +
         variable("gain", s.gain);
}

std::string circle(double r) {
  char text[128];
  std::snprintf(text, sizeof text, "M%.3f 0A%.3f %.3f 0 1 1 %.3f 0A%.3f %.3f 0 1 1 %.3f 0Z", -r, r,
                r, r, r, r, -r);
  return text;
}

// Corners on a circle, the first `first_angle` clockwise from the top, scaled to the area of a
// circle of radius `r`.
std::string polygon(double r, int corners, double first_angle) {
  const double step = 2 * std::numbers::pi / corners;
  const double distance = r * std::sqrt(std::numbers::pi / (0.5 * corners * std::sin(step)));
  std::string path;
  for (int i = 0; i < corners; ++i) {
    const double angle = first_angle + i * step;
    char text[64];
    std::snprintf(text, sizeof text, "%c%.3f %.3f", i == 0 ? 'M' : 'L', distance * std::sin(angle),
                  -distance * std::cos(angle));
    path += text;
  }
  return path + 'Z';
}

}  // namespace

std::string theme_css() {
  return ":root{" + variables(figure::surface(figure::Theme::light)) +
         "}\n@media (prefers-color-scheme:dark){:root{" +
         variables(figure::surface(figure::Theme::dark)) + "}}\n";
}

ThemedColour class_colour(std::string_view operation_class) {
  return {figure::mark_style(operation_class, figure::Theme::light).colour,
          figure::mark_style(operation_class, figure::Theme::dark).colour};
}

ThemedColour level_colour(MemoryLevel level) {
  return {figure::tier_colour(level, figure::Theme::light),
          figure::tier_colour(level, figure::Theme::dark)};
}

std::string colour_style(const ThemedColour& colour) {
  return "--l:" + figure::to_hex(colour.light) + ";--d:" + figure::to_hex(colour.dark);
}

std::string class_shape(std::string_view operation_class, double radius_px) {
  constexpr double kEighth = std::numbers::pi / 4;
  switch (figure::mark_style(operation_class, figure::Theme::light).shape) {
    case figure::MarkShape::circle:
      return circle(radius_px);
    case figure::MarkShape::square:
      return polygon(radius_px, 4, kEighth);
    case figure::MarkShape::diamond:
      return polygon(radius_px, 4, 0);
    case figure::MarkShape::triangle_up:
      return polygon(radius_px, 3, 0);
    case figure::MarkShape::triangle_down:
      return polygon(radius_px, 3, 4 * kEighth);
    case figure::MarkShape::hexagon:
      return polygon(radius_px, 6, 0);
  }
  return {};
}

std::string class_mark(std::string_view operation_class) {
  return "<svg class=\"mark c\" style=\"" + colour_style(class_colour(operation_class)) +
         "\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"" +
         class_shape(operation_class, 5.2) + "\"/></svg>";
}

}  // namespace mansard::reports
