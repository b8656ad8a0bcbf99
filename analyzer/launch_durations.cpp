// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launch_durations.h"

#include <algorithm>

#include "analyzer/attribution/range_attribution.h"
#include "support/statistics.h"

namespace mansard::analysis {
namespace {

constexpr double kTail = 0.95;

template <class Records>
std::vector<double> durations_of(const Records& records, const std::vector<std::uint32_t>& which) {
  std::vector<double> durations_s;
  durations_s.reserve(which.size());
  for (const std::uint32_t i : which) {
    const bool timed = store::has_times(records[i].start_ns, records[i].end_ns);
    durations_s.push_back(
        timed ? 1e-9 * static_cast<double>(records[i].end_ns - records[i].start_ns) : 0.0);
  }
  return durations_s;
}

}  // namespace

LaunchDurations::LaunchDurations(const RunAnalysis& run) : run_(run) {
  const bool on_host = std::ranges::any_of(
      run.rows, [](const KernelRow& row) { return row.kind == RowKind::host_range; });
  if (!on_host) return;
  for (const AttributedRange& range : attribute_kernels(run.profile).ranges) {
    exclusive_s_[static_cast<std::uint32_t>(range.nvtx)] =
        1e-9 * static_cast<double>(range.exclusive_ns);
  }
}

std::vector<double> LaunchDurations::of(const KernelRow& row) const {
  switch (row.kind) {
    case RowKind::kernel:
      return durations_of(run_.profile.kernels, row.launch_indices);
    case RowKind::memcpy:
      return durations_of(run_.profile.memcpys, row.launch_indices);
    case RowKind::memset:
      return durations_of(run_.profile.memsets, row.launch_indices);
    case RowKind::host_range:
      break;
  }
  std::vector<double> durations_s;
  durations_s.reserve(row.launch_indices.size());
  for (const std::uint32_t i : row.launch_indices) {
    const auto found = exclusive_s_.find(i);
    durations_s.push_back(found == exclusive_s_.end() ? 0 : found->second);
  }
  return durations_s;
}

double LaunchDurations::p95_s(const KernelRow& row) const { return quantile(of(row), kTail); }

}  // namespace mansard::analysis
