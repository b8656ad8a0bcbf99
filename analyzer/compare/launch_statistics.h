// SPDX-License-Identifier: Apache-2.0
// How sure the median of a kernel's durations is. Launches are not independent: the clock drifts
// under load, and what runs beside them changes. So the error is taken from how the medians of
// consecutive batches differ (batch means, as for simulation output), all by order statistics.
#pragma once

#include <optional>
#include <vector>

namespace mansard::analysis {

// Two full runs of `mansard characterize` on one H200 agreed within this share
// (docs/validation/h200-ceilings.md); less than that is never called a difference.
inline constexpr double kLeastNoise = 0.005;

struct LaunchStatistics {
  std::size_t count = 0;
  double median_s = 0;
  double spread_s = 0;  // 1.4826 x median absolute deviation: a robust standard deviation
};

LaunchStatistics launch_statistics(const std::vector<double>& durations_s);

// A time as medians have it.
struct Estimate {
  double value_s = 0;
  std::optional<double> error_s;  // standard error; not known of fewer than four samples
  std::size_t samples = 0;
  std::size_t batches = 0;  // that the error is from

  Estimate times(double factor) const;
};

// The median of `samples_s`, which are in the order of time.
Estimate estimate_median(const std::vector<double>& samples_s);

// Both together. Parts of one run share its drift: their errors are added as they are.
Estimate sum_of(const Estimate& a, const Estimate& b);

// Within so many standard errors are 99 % of the differences of equal runs: 2.576 (1 + 4.2 / (f -
// 1.5)) with f degrees of freedom. The deviation of few batches is known badly, and the more so
// from its median; the formula is fitted to simulated normal values of 4 to 1000 launches (the
// tests LaunchStatistics.EqualRunsSeldomDiffer and RunsOfDifferentLengthToo repeat it).
double errors_allowed(double degrees_of_freedom);

// A difference of the two up to this is noise; nothing when it is not known.
std::optional<double> noise_of_difference(const Estimate& a, const Estimate& b);

}  // namespace mansard::analysis
