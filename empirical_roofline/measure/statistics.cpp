// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mansard {

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double weight = position - static_cast<double>(below);
  return values[below] + weight * (values[above] - values[below]);
}

double relative_spread(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = median(values);
  if (middle == 0) return 0;
  return std::fabs((quantile(values, 0.75) - quantile(values, 0.25)) / middle);
}

double median_uncertainty(const std::vector<double>& values) {
  const std::size_t n = values.size();
  if (n < 6) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double half_ranks = 0.98 * std::sqrt(static_cast<double>(n));  // 1.96 * sqrt(n) / 2
  const double middle = static_cast<double>(n) / 2;
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(middle - half_ranks)));
  const auto high = std::min(n - 1, static_cast<std::size_t>(std::ceil(middle + half_ranks)));
  const double m = median(sorted);
  return m == 0 ? std::numeric_limits<double>::infinity()
                : std::fabs((sorted[high] - sorted[low]) / (2 * m));
}

}  // namespace mansard
