// SPDX-License-Identifier: Apache-2.0
// Decides when a measurement is accurate enough, or has taken long enough.
#pragma once

#include <vector>

#include "support/statistics.h"

namespace mansard::roofline {

struct StoppingRule {
  int min_samples = 10;
  double min_time_s = 0.3;  // of timed work
  double max_time_s =
      2.0;  // stops even if the uncertainty is too large, but not before min_samples
  double max_uncertainty = 0.002;  // relative half width of the median's 95 % confidence interval

  bool done(const std::vector<double>& values, double timed_s) const {
    if (static_cast<int>(values.size()) < min_samples) return false;
    if (timed_s >= max_time_s) return true;
    return timed_s >= min_time_s && median_uncertainty(values) <= max_uncertainty;
  }
};

}  // namespace mansard::roofline
