// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mansard::figure {

LaunchOrder order_launches(std::span<const std::uint32_t> row, std::span<const float> log_factor,
                           std::size_t rows) {
  LaunchOrder order;
  order.first.assign(rows + 1, 0);
  const auto counts = [&](std::size_t i) { return row[i] < rows && !std::isnan(log_factor[i]); };
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (counts(i)) ++order.first[row[i] + 1];
  }
  for (std::size_t r = 0; r < rows; ++r) order.first[r + 1] += order.first[r];

  std::vector<std::pair<float, std::uint32_t>> launches(order.first.back());
  std::vector<std::uint32_t> next(order.first.begin(), order.first.end() - 1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (counts(i)) launches[next[row[i]]++] = {log_factor[i], static_cast<std::uint32_t>(i)};
  }
  for (std::size_t r = 0; r < rows; ++r) {
    std::sort(launches.begin() + order.first[r], launches.begin() + order.first[r + 1]);
  }

  order.log_factor.reserve(launches.size());
  order.launch.reserve(launches.size());
  for (const auto& [factor, launch] : launches) {
    order.log_factor.push_back(factor);
    order.launch.push_back(launch);
  }
  return order;
}

}  // namespace mansard::figure
