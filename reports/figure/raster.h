// SPDX-License-Identifier: Apache-2.0
// A grid of counts, drawn as density: cells with more are brighter (density_color()).
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
  std::vector<std::uint32_t> counts;  // line by line from the top; 0: nothing is drawn
  std::uint32_t highest = 0;          // of `counts`

  std::uint32_t at(std::size_t column, std::size_t line) const {
    return counts[line * columns + column];
  }
};

// Density of a cell with `count` > 0: 0 for a count of 1, 1 for `highest`, by logarithms.
inline double density_amount(std::uint32_t count, std::uint32_t highest) {
  if (count <= 1 || highest <= 1) return 0;
  return std::min(1.0, std::log(count) / std::log(highest));
}

}  // namespace mansard::figure
