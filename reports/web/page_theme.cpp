// SPDX-License-Identifier: Apache-2.0
#include "reports/web/page_theme.h"

#include "reports/figure/svg_writer.h"

namespace mansard::reports {
namespace {

std::string variables(const figure::Surface& s) {
  std::string css;
  for (const figure::SurfaceVariable& v : figure::kSurfaceVariables) {
    css += std::string(v.name) + ':' + figure::to_hex(s.*v.role) + ';';
  }
  return css;
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
  return figure::mark_path(figure::class_shape(operation_class), radius_px);
}

std::string class_mark(std::string_view operation_class) {
  return "<svg class=\"mark c\" style=\"" + colour_style(class_colour(operation_class)) +
         "\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"" +
         class_shape(operation_class, 5.2) + "\"/></svg>";
}

}  // namespace mansard::reports
