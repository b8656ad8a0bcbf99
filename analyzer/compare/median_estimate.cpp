// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/median_estimate.h"

#include <algorithm>
#include <cmath>

#include "support/statistics.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kBatches = 8;
// With three samples the median absolute deviation is that of the nearest sample, which is useless.
constexpr std::size_t kMinSamples = 4;
// Standard deviation / median absolute deviation of normal values.
constexpr double kNormalMad = 1.4826;
// Standard error of the median / standard error of the mean of normal values: sqrt(pi / 2).
constexpr double kMedianError = 1.2533;

double robust_deviation(const std::vector<double>& values, double middle) {
  std::vector<double> away;
  away.reserve(values.size());
  for (const double value : values) away.push_back(std::fabs(value - middle));
  return kNormalMad * median_in_place(away);
}

// With fewer than two values per batch, each value is its own batch.
std::vector<double> batch_medians(const std::vector<double>& values) {
  if (values.size() < 2 * kBatches) return values;
  std::vector<double> medians;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * values.size() / kBatches);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * values.size() / kBatches);
    medians.push_back(median(std::vector(values.begin() + begin, values.begin() + end)));
  }
  return medians;
}

// An odd last batch does not improve the median of deviations, so the number is rounded down to
// even.
double freedom_of(const Estimate& e) { return static_cast<double>(e.batches / 2 * 2) - 1; }

// Degrees of freedom of a difference (Welch-Satterthwaite): the run with the larger error
// dominates.
double joint_freedom(const Estimate& a, const Estimate& b, double square_a, double square_b) {
  const double square = square_a + square_b;
  return square * square /
         (square_a * square_a / freedom_of(a) + square_b * square_b / freedom_of(b));
}

}  // namespace

DurationStatistics duration_statistics(const std::vector<double>& durations_s) {
  if (durations_s.empty()) return {};
  const double median_s = median(durations_s);
  return {durations_s.size(), median_s, robust_deviation(durations_s, median_s)};
}

Estimate Estimate::times(double factor) const {
  Estimate out = *this;
  out.value_s *= factor;
  if (out.error_s) *out.error_s *= factor;
  return out;
}

Estimate estimate_median(const std::vector<double>& samples_s) {
  Estimate out;
  if (samples_s.empty()) return out;
  out.value_s = median(samples_s);
  out.samples = samples_s.size();
  if (samples_s.size() < kMinSamples) return out;
  const std::vector<double> batches = batch_medians(samples_s);
  out.batches = batches.size();
  out.error_s = kMedianError * robust_deviation(batches, median(batches)) /
                std::sqrt(static_cast<double>(batches.size()));
  return out;
}

Estimate sum_of(const Estimate& a, const Estimate& b) {
  Estimate out;
  out.value_s = a.value_s + b.value_s;
  if (a.error_s && b.error_s) out.error_s = *a.error_s + *b.error_s;
  out.samples = std::min(a.samples, b.samples);
  out.batches = std::min(a.batches, b.batches);
  return out;
}

double errors_allowed(double degrees_of_freedom) {
  constexpr double kNormal99 =
      2.576;  // 99 % of normal values are within +- 2.576 standard deviations
  return kNormal99 * (1 + 4.2 / (degrees_of_freedom - 1.5));
}

std::optional<double> noise_of_difference(const Estimate& a, const Estimate& b) {
  if (!a.error_s || !b.error_s) return std::nullopt;
  const double least_s = kMinNoise * a.value_s;
  const double square_a = *a.error_s * *a.error_s;
  const double square_b = *b.error_s * *b.error_s;
  const double square = square_a + square_b;
  if (!(square > 0)) return least_s;
  // Use the smaller of the degrees of freedom from the estimated errors and from equal errors per
  // sample: a few samples that are close together by chance must not count as a small error.
  const double freedom = std::min(
      joint_freedom(a, b, square_a, square_b),
      joint_freedom(a, b, 1 / static_cast<double>(a.samples), 1 / static_cast<double>(b.samples)));
  return std::max(errors_allowed(freedom) * std::sqrt(square), least_s);
}

}  // namespace mansard::analysis
