// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/collective_times.h"

namespace mansard::analysis {

CollectiveTimes collective_times(const RunAnalysis& run, std::size_t row,
                                 const CollectiveArrivals& arrivals) {
  const KernelRow& of_row = run.rows[row];
  double wait_s = 0;
  for (const std::uint32_t launch : of_row.launch_indices) {
    const auto last_ns = arrivals.of(launch);
    if (!last_ns) return {.wait_s = std::nullopt, .transfer_s = of_row.time_s};
    wait_s += 1e-9 * static_cast<double>(*last_ns - run.profile.kernels[launch].start_ns);
  }
  return {.wait_s = wait_s, .transfer_s = of_row.time_s - wait_s};
}

}  // namespace mansard::analysis
