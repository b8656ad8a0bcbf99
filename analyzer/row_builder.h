// SPDX-License-Identifier: Apache-2.0
// What device rows and host rows have in common: the time of every launch.
#pragma once

#include <algorithm>

#include "analyzer/kernel_rows.h"

namespace mansard {

// Sum and order statistics of the launches' durations. Reorders `durations_s`.
inline void set_times(KernelRow& row, std::vector<double>& durations_s) {
  row.launches = static_cast<std::int64_t>(durations_s.size());
  if (durations_s.empty()) return;
  for (const double s : durations_s) row.time_s += s;
  const auto middle = durations_s.begin() + static_cast<std::ptrdiff_t>(durations_s.size() / 2);
  std::nth_element(durations_s.begin(), middle, durations_s.end());
  row.median_s = *middle;
  if (durations_s.size() % 2 == 0) {
    row.median_s = 0.5 * (row.median_s + *std::max_element(durations_s.begin(), middle));
  }
  row.min_s = *std::min_element(durations_s.begin(), middle + 1);
  row.max_s = *std::max_element(middle, durations_s.end());
}

}  // namespace mansard
