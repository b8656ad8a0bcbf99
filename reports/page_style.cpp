// SPDX-License-Identifier: Apache-2.0
#include "reports/page_style.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "cmake/embedded_file.h"
#include "reports/web/page_theme.h"

namespace mansard::reports {

std::span<const EmbeddedFile> page_files();  // generated

std::string_view page_file(std::string_view name) {
  const auto files = page_files();
  const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
  if (file == files.end()) {
    throw std::logic_error("the build did not embed '" + std::string(name) + "'");
  }
  return file->content;
}

std::string page_style() { return theme_css() + std::string(page_file("page.css")); }

}  // namespace mansard::reports
