// SPDX-License-Identifier: Apache-2.0
// Launches sorted by row and duration. The launches of a row are on one line of the plane, sorted
// along it. Rows out of view therefore cost nothing, a binary search finds the visible part of
// other rows, and consecutive launches are counted in neighboring pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mansard::figure {

// 8 bytes per launch.
struct LaunchOrder {
  std::vector<std::uint32_t> first;   // by row, plus one: index into the columns below
  std::vector<float> log_factor;      // log10(duration / mean of the row); ascending within a row
  std::vector<std::uint32_t> launch;  // its index

  std::size_t rows() const { return first.empty() ? 0 : first.size() - 1; }
  std::size_t size() const { return launch.size(); }
};

// Takes two columns of equal length, by launch. Omits launches with row >= `rows` and those whose
// factor is NaN.
LaunchOrder order_launches(std::span<const std::uint32_t> row, std::span<const float> log_factor,
                           std::size_t rows);

}  // namespace mansard::figure
