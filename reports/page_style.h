// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mansard::reports {

// Returns an embedded file of the page: "page.css", or "page.js", which is empty if the build had
// no bundler.
std::string_view page_file(std::string_view name);

// Returns the style sheet of the page and its figures: the light and dark palette, and page.css.
std::string page_style();

}  // namespace mansard::reports
