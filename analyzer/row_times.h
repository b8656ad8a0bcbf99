// SPDX-License-Identifier: Apache-2.0
// Launch count, sum and order statistics of a row, for device and host kernels.
#pragma once

#include <algorithm>

#include "analyzer/kernel_rows.h"
#include "support/statistics.h"

namespace mansard::analysis {

// Sets sum and order statistics of the launch durations. Reorders `durations_s`.
inline void set_times(KernelRow& row, std::vector<double>& durations_s) {
  row.launches = static_cast<std::int64_t>(durations_s.size());
  if (durations_s.empty()) return;
  for (const double s : durations_s) row.time_s += s;
  row.median_s = median_in_place(durations_s);
  const auto [least, most] = std::ranges::minmax_element(durations_s);
  row.min_s = *least;
  row.max_s = *most;
}

}  // namespace mansard::analysis
