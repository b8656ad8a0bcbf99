// SPDX-License-Identifier: Apache-2.0
// How sure the median of a kernel's durations is. Launches are not independent: the clock drifts
// under load, and what runs beside them changes. So the error is taken from how the medians of
// consecutive batches differ (batch means, as for simulation output), all by order statistics.
#pragma once

#include <optional>
#include <vector>

namespace mansard {

// Two full runs of `mansard characterize` on one H200 agreed within this share
// (docs/validation/h200-ceilings.md); less than that is never called a difference.
inline constexpr double kLeastNoise = 0.005;

// Of so many standard errors. With 8 batches 3 leave about 1 % of equal pairs outside.
inline constexpr double kNoiseErrors = 3;

struct LaunchStatistics {
  std::size_t count = 0;
  double median_s = 0;
  double spread_s = 0;            // 1.4826 x median absolute deviation: a robust standard deviation
  std::optional<double> error_s;  // standard error of the median; not known of fewer than three
};

double median_of(std::vector<double> values);  // 0 of none

// `durations_s` in the order of time.
LaunchStatistics launch_statistics(const std::vector<double>& durations_s);

// A difference of the two medians up to this is noise; nothing when it is not known.
std::optional<double> noise_of_difference(const LaunchStatistics& a, const LaunchStatistics& b);

}  // namespace mansard
