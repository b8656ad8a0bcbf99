// SPDX-License-Identifier: Apache-2.0
// Standard error of the median of a kernel's durations. Launches are not independent: the clock
// drifts under load, and concurrent work changes. So the error is estimated from the medians of
// consecutive batches (like batch means of simulation output), with order statistics only.
#pragma once

#include <optional>
#include <vector>

namespace mansard::analysis {

// Relative. Smaller differences always count as noise: two full runs of `mansard characterize` on
// one H200 agreed within this (docs/validation/h200-ceilings.md).
inline constexpr double kMinNoise = 0.005;

struct DurationStatistics {
  std::size_t count = 0;
  double median_s = 0;
  double spread_s = 0;  // 1.4826 x median absolute deviation: a robust standard deviation
};

DurationStatistics duration_statistics(const std::vector<double>& durations_s);

// A time estimated from a median.
struct Estimate {
  double value_s = 0;
  std::optional<double> error_s;  // standard error; unset with fewer than four samples
  std::size_t samples = 0;
  std::size_t batches = 0;  // number of batches that error_s is based on

  Estimate times(double factor) const;
};

// Returns the median of `samples_s`, which must be sorted by start time.
Estimate estimate_median(const std::vector<double>& samples_s);

// Returns the sum. Parts of one run share its drift, so their errors are added linearly.
Estimate sum_of(const Estimate& a, const Estimate& b);

// Returns the number of standard errors that contains 99 % of the differences of equal runs:
// 2.576 (1 + 4.2 / (f - 1.5)) with f degrees of freedom. The second factor accounts for the
// uncertain deviation of few batches; it is fitted to simulated normal values of 4 to 1000 launches
// (repeated by the tests DurationStatistics.EqualRunsRarelyDiffer and RunsOfDifferentLengths).
double errors_allowed(double degrees_of_freedom);

// Returns the largest difference of the two that counts as noise; std::nullopt if unknown.
std::optional<double> noise_of_difference(const Estimate& a, const Estimate& b);

}  // namespace mansard::analysis
