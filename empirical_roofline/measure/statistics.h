// SPDX-License-Identifier: Apache-2.0
// Robust statistics: a sample that was disturbed moves the mean, not the median.
#pragma once

#include <vector>

namespace mansard {

// Linear interpolation between order statistics (type 7 of Hyndman and Fan, "Sample Quantiles in
// Statistical Packages", 1996). `fraction` in [0, 1]. NaN for no values.
double quantile(std::vector<double> values, double fraction);

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Interquartile range over the median; 0 for fewer than two values.
double relative_spread(const std::vector<double>& values);

// Half width of the 95 % confidence interval of the median over the median, from order statistics
// (binomial, normal approximation). Infinite for fewer than six values: no statement is possible.
double median_uncertainty(const std::vector<double>& values);

// Half width of Student's 95 % confidence interval of the mean over the mean. Infinite for fewer
// than two values.
double mean_uncertainty(const std::vector<double>& values);

}  // namespace mansard
