// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/log_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace mansard::figure {
namespace {

// Doubles end at 1e-308 and 1e308; beyond these bounds invert() would return zero or infinity.
constexpr double kLowestLogarithm = -290;
constexpr double kHighestLogarithm = 290;

}  // namespace

LogScale::LogScale(double min, double max, double pixel_min, double pixel_max)
    : log_min_(std::log10(min)),
      log_max_(std::log10(max)),
      pixel_min_(pixel_min),
      pixel_max_(pixel_max) {
  if (!(min > 0) || !(max > min) || !std::isfinite(max)) {
    throw std::invalid_argument("logarithmic axis from " + std::to_string(min) + " to " +
                                std::to_string(max) +
                                ": both ends must be positive and finite, and the first smaller");
  }
}

LogScale LogScale::of_logarithms(double log_min, double log_max, double pixel_min,
                                 double pixel_max) {
  const double span = log_max - log_min;
  log_min = std::clamp(log_min, kLowestLogarithm, kHighestLogarithm - span);
  LogScale scale;
  scale.log_min_ = log_min;
  scale.log_max_ = log_min + span;
  scale.pixel_min_ = pixel_min;
  scale.pixel_max_ = pixel_max;
  return scale;
}

double LogScale::min() const { return std::pow(10.0, log_min_); }
double LogScale::max() const { return std::pow(10.0, log_max_); }

double LogScale::pixels_per_decade() const {
  return std::fabs(pixel_max_ - pixel_min_) / decades();
}

double LogScale::map(double value) const {
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return map_log10(std::log10(value));
}

double LogScale::invert(double pixel) const {
  const double t = (pixel - pixel_min_) / (pixel_max_ - pixel_min_);
  return std::pow(10.0, log_min_ + t * decades());
}

LogScale LogScale::zoomed(double factor, double pixel) const {
  if (!(factor > 0) || pixel_max_ == pixel_min_) return *this;
  const double span = std::clamp(decades() / factor, std::min(kMinDecades, decades()),
                                 std::max(kMaxDecades, decades()));
  const double t = (pixel - pixel_min_) / (pixel_max_ - pixel_min_);
  const double fixed = log_min_ + t * decades();
  return of_logarithms(fixed - t * span, fixed + (1 - t) * span, pixel_min_, pixel_max_);
}

LogScale LogScale::panned(double pixels) const {
  if (pixel_max_ == pixel_min_) return *this;
  const double shift = -pixels * decades() / (pixel_max_ - pixel_min_);
  return of_logarithms(log_min_ + shift, log_max_ + shift, pixel_min_, pixel_max_);
}

LogScale LogScale::resized(double pixel_min, double pixel_max) const {
  return of_logarithms(log_min_, log_max_, pixel_min, pixel_max);
}

}  // namespace mansard::figure
