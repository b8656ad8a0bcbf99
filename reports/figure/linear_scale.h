// SPDX-License-Identifier: Apache-2.0
// A linear axis: maps values to pixels and back, and computes ticks.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/ticks.h"

namespace mansard::figure {

class LinearScale {
 public:
  // `pixel_min` is the position of `min`; for a vertical axis it is the larger of the two. Throws
  // std::invalid_argument with the values unless min < max and max - min is finite.
  LinearScale(double min, double max, double pixel_min, double pixel_max);

  double min() const { return min_; }
  double max() const { return max_; }
  double pixel_min() const { return pixel_min_; }
  double pixel_max() const { return pixel_max_; }

  double map(double value) const;
  double invert(double pixel) const;

 private:
  double min_;
  double max_;
  double pixel_min_;
  double pixel_max_;
};

// The smallest of 1, 2 or 5 times a power of ten that is at least `least` (positive).
double even_step(double least);

struct LinearTicks {
  std::vector<Tick> ticks;  // each labeled, rising by value
  std::string prefix;       // SI prefix of all labels: with "m" the label "20" means 0.02
};

// Ticks at the multiples of `step` (positive).
LinearTicks linear_ticks(const LinearScale& scale, double step, TickLabels labels);

// Ticks at the smallest even step for which ticks are at least `label_gap_px` apart.
LinearTicks linear_ticks_apart(const LinearScale& scale, double label_gap_px, TickLabels labels);

}  // namespace mansard::figure
