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

std::string color_style(const figure::Ink& ink) {
  return "--l:" + figure::to_hex(ink.light) + ";--d:" + figure::to_hex(ink.dark);
}

std::string class_shape(analysis::OperationClass operation_class, double radius_px) {
  return figure::mark_path(figure::class_shape(operation_class), radius_px);
}

std::string class_mark(analysis::OperationClass operation_class) {
  return "<svg class=\"mark c\" style=\"" + color_style(figure::class_ink(operation_class)) +
         "\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"" +
         class_shape(operation_class, 5.2) + "\"/></svg>";
}

}  // namespace mansard::reports
