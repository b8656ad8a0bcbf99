// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/collective_arrivals.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/steps/ends_together.h"

namespace mansard::analysis {

CollectiveArrivals::CollectiveArrivals(const RunAnalysis& run, OperationClass operation_class) {
  const store::RecordList<store::KernelRecord>& kernels = run.profile.kernels;
  // By name and device, sorted by start.
  std::map<store::StringId, std::map<std::int32_t, std::vector<std::uint32_t>>> names;
  for (const KernelRow& row : run.rows) {
    if (row.target != kernels::Target::cuda || row.operation_class != operation_class) continue;
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
    // Rows of one name differ in grid: the launches are ordered by row, not by time.
    for (auto& [device, launches] : devices) std::sort(launches.begin(), launches.end());
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<std::uint32_t> nth;
      for (const auto& [device, launches] : devices) nth.push_back(launches[n]);
      add_groups(kernels, std::move(nth));
    }
  }
}

void CollectiveArrivals::add_groups(const store::RecordList<store::KernelRecord>& kernels,
                                    std::vector<std::uint32_t> nth) {
  for_each_collective(
      nth, [&](std::uint32_t kernel) { return kernels[kernel].start_ns; },
      [&](std::uint32_t kernel) { return kernels[kernel].end_ns; },
      [&](std::span<const std::uint32_t> together, std::int64_t last_begin_ns) {
        for (const std::uint32_t kernel : together) last_begin_ns_.emplace(kernel, last_begin_ns);
      });
}

}  // namespace mansard::analysis
