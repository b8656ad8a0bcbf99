// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/linear_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace mansard::figure {
namespace {

// Limits the number of ticks; with a step below the precision of a double the loop would not end.
constexpr double kMaxTicks = 1000;

std::string label_of(double value, double factor) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value / factor);
  return text;
}

}  // namespace

LinearScale::LinearScale(double min, double max, double pixel_min, double pixel_max)
    : min_(min), max_(max), pixel_min_(pixel_min), pixel_max_(pixel_max) {
  if (!(min < max) || !std::isfinite(max - min)) {
    throw std::invalid_argument("a linear axis cannot reach from " + std::to_string(min) + " to " +
                                std::to_string(max));
  }
}

double LinearScale::map(double value) const {
  return pixel_min_ + (value - min_) / (max_ - min_) * (pixel_max_ - pixel_min_);
}

double LinearScale::invert(double pixel) const {
  return min_ + (pixel - pixel_min_) / (pixel_max_ - pixel_min_) * (max_ - min_);
}

double even_step(double least) {
  // The tolerance allows for a quotient that rounds to slightly more than 0.2.
  constexpr double kSlack = 1 - 1e-12;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least * kSlack) return factor * decade;
  }
  return 10 * decade;
}

LinearTicks linear_ticks(const LinearScale& scale, double step, TickLabels labels) {
  // Includes a tick at the very end of the axis despite rounding.
  constexpr double kSlack = 1e-9;
  const double first = std::ceil(scale.min() / step - kSlack);
  const double last = std::floor(scale.max() / step + kSlack);
  LinearTicks out;
  if (!(last - first < kMaxTicks)) return out;
  double largest = 0;
  for (double k = first; k <= last; ++k) {
    const double value = k * step + 0.0;  // not minus zero
    out.ticks.push_back({value, scale.map(value), true, ""});
    largest = std::max(largest, std::fabs(value));
  }
  SiPrefix prefix = si_prefix(largest);
  if (labels == TickLabels::number && prefix.factor < 1) prefix = {};
  out.prefix = prefix.symbol;
  for (Tick& tick : out.ticks) tick.label = label_of(tick.value, prefix.factor);
  return out;
}

LinearTicks linear_ticks_apart(const LinearScale& scale, double label_gap_px, TickLabels labels) {
  const double per_px =
      (scale.max() - scale.min()) / std::fabs(scale.pixel_max() - scale.pixel_min());
  return linear_ticks(scale, even_step(per_px * label_gap_px), labels);
}

}  // namespace mansard::figure
