// SPDX-License-Identifier: Apache-2.0
// When a ceiling has been measured well enough, or for long enough.
#pragma once

#include <vector>

#include "support/statistics.h"

namespace mansard::roofline {

struct StoppingRule {
  int min_samples = 10;
  double min_time_s = 0.3;         // of timed work
  double max_time_s = 2.0;         // gives up on the uncertainty, never on min_samples
  double max_uncertainty = 0.002;  // of the median: half its 95 % confidence interval

  bool done(const std::vector<double>& values, double timed_s) const {
    if (static_cast<int>(values.size()) < min_samples) return false;
    if (timed_s >= max_time_s) return true;
    return timed_s >= min_time_s && median_uncertainty(values) <= max_uncertainty;
  }
};

}  // namespace mansard::roofline
