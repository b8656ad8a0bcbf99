// SPDX-License-Identifier: Apache-2.0
// Robust statistics: an outlier shifts the mean, but hardly the median.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ranges>
#include <vector>

namespace mansard {

// The median; the mean of the middle two for an even number of values; NaN for none. Reorders
// `values`. Linear time.
template <std::ranges::random_access_range Range>
double median_in_place(Range&& values) {
  const auto count = std::ranges::ssize(values);
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto upper = std::ranges::begin(values) + count / 2;
  std::ranges::nth_element(values, upper);
  if (count % 2 == 1) return static_cast<double>(*upper);
  const auto lower = std::max_element(std::ranges::begin(values), upper);
  return 0.5 * (static_cast<double>(*lower) + static_cast<double>(*upper));
}

template <class Number = double>  // for median({a, b})
double median(std::vector<Number> values) {
  return median_in_place(values);
}

// The median, but the lower of the middle two for an even number of values: always one of `values`,
// which must not be empty.
template <class Number>
Number lower_median(std::vector<Number> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Linear interpolation between order statistics (type 7 of Hyndman and Fan, "Sample Quantiles in
// Statistical Packages", 1996). `fraction` in [0, 1]. NaN for no values.
double quantile(std::vector<double> values, double fraction);

// Interquartile range / median; 0 for fewer than two values.
double relative_spread(const std::vector<double>& values);

// Relative half width of the 95 % confidence interval of the median, from order statistics
// (binomial, normal approximation). Infinite for fewer than six values, which are too few.
double median_uncertainty(const std::vector<double>& values);

// Relative half width of Student's 95 % confidence interval of the mean. Infinite for fewer than
// two values.
double mean_uncertainty(const std::vector<double>& values);

}  // namespace mansard
