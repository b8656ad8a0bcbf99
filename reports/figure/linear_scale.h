// SPDX-License-Identifier: Apache-2.0
// One linear axis: values to pixels and back, and its ticks.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/ticks.h"

namespace mansard::figure {

class LinearScale {
 public:
  // `pixel_min` is where `min` lies; for a vertical axis it is the larger of the two.
  // Throws std::invalid_argument naming the values unless min < max and max - min is finite.
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

// 1, 2 or 5 times a power of ten: the least that is not below `least`, which is positive.
double even_step(double least);

struct LinearTicks {
  std::vector<Tick> ticks;  // each labeled, rising by value
  std::string prefix;       // SI, of all labels: with "m" the label "20" means 0.02
};

// At the multiples of `step`, which is positive.
LinearTicks linear_ticks(const LinearScale& scale, double step, TickLabels labels);

// The same at an even step, the least that keeps labels `label_gap_px` apart, measured between
// ticks.
LinearTicks linear_ticks_apart(const LinearScale& scale, double label_gap_px, TickLabels labels);

}  // namespace mansard::figure
