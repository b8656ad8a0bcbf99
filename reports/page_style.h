// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mansard::reports {

// A file of the page that the build embedded: "page.css", or "page.js", which is empty where the
// build had no bundler.
std::string_view page_file(std::string_view name);

// The style sheet of the page and of figures: the palette's colors, light and dark, and page.css.
std::string page_style();

}  // namespace mansard::reports
