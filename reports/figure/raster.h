// SPDX-License-Identifier: Apache-2.0
// A grid of counts, drawn as a density map (density_color()).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mansard::figure {

struct Raster {
  std::size_t columns = 0;
  std::size_t lines = 0;
  std::vector<std::uint32_t> counts;  // row by row from the top; 0: not drawn
  std::uint32_t highest = 0;          // maximum of `counts`

  std::uint32_t at(std::size_t column, std::size_t line) const {
    return counts[line * columns + column];
  }
};

// Density of a cell with `count` > 0 on a logarithmic scale: 0 for 1, 1 for `highest`.
inline double density_amount(std::uint32_t count, std::uint32_t highest) {
  if (count <= 1 || highest <= 1) return 0;
  return std::min(1.0, std::log(count) / std::log(highest));
}

}  // namespace mansard::figure
