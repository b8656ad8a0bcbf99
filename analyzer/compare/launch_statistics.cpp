// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/launch_statistics.h"

#include <algorithm>
#include <cmath>

namespace mansard {

namespace {

constexpr std::size_t kBatches = 8;
// Makes the median absolute deviation of normal values their standard deviation.
constexpr double kNormalMad = 1.4826;
// Standard error of a median of normal values over that of their mean: sqrt(pi / 2).
constexpr double kMedianError = 1.2533;

double robust_deviation(const std::vector<double>& values, double median) {
  std::vector<double> away;
  away.reserve(values.size());
  for (const double value : values) away.push_back(std::fabs(value - median));
  return kNormalMad * median_of(std::move(away));
}

// Of fewer than two values to a batch each is its own.
std::vector<double> batch_medians(const std::vector<double>& values) {
  if (values.size() < 2 * kBatches) return values;
  std::vector<double> medians;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * values.size() / kBatches);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * values.size() / kBatches);
    medians.push_back(median_of({values.begin() + begin, values.begin() + end}));
  }
  return medians;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

LaunchStatistics launch_statistics(const std::vector<double>& durations_s) {
  LaunchStatistics out;
  out.count = durations_s.size();
  out.median_s = median_of(durations_s);
  out.spread_s = robust_deviation(durations_s, out.median_s);
  if (durations_s.size() < 3) return out;
  const std::vector<double> batches = batch_medians(durations_s);
  out.error_s = kMedianError * robust_deviation(batches, median_of(batches)) /
                std::sqrt(static_cast<double>(batches.size()));
  return out;
}

std::optional<double> noise_of_difference(const LaunchStatistics& a, const LaunchStatistics& b) {
  if (!a.error_s || !b.error_s) return std::nullopt;
  return std::max(kNoiseErrors * std::hypot(*a.error_s, *b.error_s), kLeastNoise * a.median_s);
}

}  // namespace mansard
