// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/collective_arrivals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace mansard::analysis {

namespace {

// Kernels of one collective end within microseconds of each other; the clocks of the ranks are
// aligned slightly less accurately.
constexpr std::int64_t kTogetherNs = 50'000;

}  // namespace

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
  std::sort(nth.begin(), nth.end(), [&](std::uint32_t a, std::uint32_t b) {
    return kernels[a].end_ns < kernels[b].end_ns;
  });
  for (std::size_t from = 0, to = 0; from < nth.size(); from = to) {
    std::int64_t last_begin_ns = kernels[nth[from]].start_ns;
    for (to = from + 1; to < nth.size(); ++to) {
      if (kernels[nth[to]].end_ns - kernels[nth[to - 1]].end_ns > kTogetherNs) break;
      last_begin_ns = std::max(last_begin_ns, kernels[nth[to]].start_ns);
    }
    if (to - from < 2 || last_begin_ns > kernels[nth[from]].end_ns) continue;
    for (std::size_t i = from; i < to; ++i) last_begin_ns_.emplace(nth[i], last_begin_ns);
  }
}

}  // namespace mansard::analysis
