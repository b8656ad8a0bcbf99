// SPDX-License-Identifier: Apache-2.0
// A file of the source tree compiled into the program; see mansard_embed() in MansardPlugins.cmake.
#pragma once

#include <span>
#include <string_view>

namespace mansard {

struct EmbeddedFile {
  std::string_view name;  // file name without its folder
  std::string_view content;
};

}  // namespace mansard
