// SPDX-License-Identifier: Apache-2.0
// Kernel signatures as text, in the syntax of a CUDA launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "support/text.h"

namespace mansard::analysis {

// "kernel <<<132x1x1, 384x1x1, 227328 B>>>"; the name alone where there is no grid (host work).
inline std::string kernel_signature(const std::string& name,
                                    const std::array<std::int32_t, 3>& grid,
                                    const std::array<std::int32_t, 3>& block,
                                    std::int64_t shared_bytes) {
  if (grid[0] == 0) return name;
  return name + " <<<" + extent_text(grid) + ", " + extent_text(block) + ", " +
         std::to_string(shared_bytes) + " B>>>";
}

}  // namespace mansard::analysis
