// SPDX-License-Identifier: Apache-2.0
#include "support/statistics.h"

#include <algorithm>
#include <array>
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

double mean_uncertainty(const std::vector<double>& values) {
  const std::size_t n = values.size();
  if (n < 2) return std::numeric_limits<double>::infinity();
  double mean = 0;
  for (const double v : values) mean += v / static_cast<double>(n);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double error = std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
  // Student's t, two-sided 95 %, by degrees of freedom (NIST/SEMATECH e-Handbook, 1.3.6.7.2);
  // beyond the table, 2.0 is less than 2 % off.
  constexpr std::array kT = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                             2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  const double t = n - 2 < kT.size() ? kT[n - 2] : 2.0;
  return mean == 0 ? std::numeric_limits<double>::infinity() : std::fabs(t * error / mean);
}

}  // namespace mansard
