// SPDX-License-Identifier: Apache-2.0
// Launches in the order in which a plane counts them: those of a row lie on one line, and along it
// in the order of how long they took. So a row that is out of sight costs nothing, of any other a
// search finds the part that is in sight, and neighbors are counted in neighboring pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mansard::figure {

// 8 bytes a launch.
struct LaunchOrder {
  std::vector<std::uint32_t> first;   // by row, and one more: into the columns below
  std::vector<float> log_factor;      // of duration over the row's mean, base 10; rises in a row
  std::vector<std::uint32_t> launch;  // its number

  std::size_t rows() const { return first.empty() ? 0 : first.size() - 1; }
  std::size_t size() const { return launch.size(); }
};

// Two columns of equal length, by launch. Left out are launches of rows from `rows` on, and those
// whose factor is not a number.
LaunchOrder order_launches(std::span<const std::uint32_t> row, std::span<const float> log_factor,
                           std::size_t rows);

}  // namespace mansard::figure
