// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/collective_arrivals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace mansard {

CollectiveArrivals::CollectiveArrivals(const RunAnalysis& run, std::string_view operation_class) {
  const std::vector<KernelRecord>& kernels = run.profile.kernels;
  // By name and device, in the order of their begin.
  std::map<StringId, std::map<std::int32_t, std::vector<std::uint32_t>>> names;
  for (const KernelRow& row : run.rows) {
    if (row.target != Target::cuda || row.operation_class != operation_class) continue;
    for (const std::size_t kernel : row.launch_indices) {
      names[kernels[kernel].demangled_name][kernels[kernel].device_id].push_back(
          static_cast<std::uint32_t>(kernel));
    }
  }
  for (auto& [name, devices] : names) {
    const std::size_t count = devices.begin()->second.size();
    const bool matched =
        devices.size() > 1 && std::all_of(devices.begin(), devices.end(), [&](const auto& device) {
          return device.second.size() == count;
        });
    if (!matched) continue;
    // Rows of one name differ in grid: their launches come by row, not by time.
    for (auto& [device, launches] : devices) std::sort(launches.begin(), launches.end());
    for (std::size_t n = 0; n < count; ++n) {
      std::int64_t last_begin_ns = INT64_MIN;
      std::int64_t first_end_ns = INT64_MAX;
      for (const auto& [device, launches] : devices) {
        last_begin_ns = std::max(last_begin_ns, kernels[launches[n]].start_ns);
        first_end_ns = std::min(first_end_ns, kernels[launches[n]].end_ns);
      }
      if (last_begin_ns > first_end_ns) continue;
      for (const auto& [device, launches] : devices) {
        last_begin_ns_.emplace(launches[n], last_begin_ns);
      }
    }
  }
}

}  // namespace mansard
