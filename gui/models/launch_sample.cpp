// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_sample.h"

#include <algorithm>

#include "analyzer/launch_durations.h"

namespace mansard::gui {

SelectionModel::Launch launch_at(const OpenRun& run, std::size_t row, std::size_t position) {
  const analysis::KernelRow& of_row = run.analysis.rows[row];
  if (analysis::is_memory_operation(of_row)) return std::nullopt;
  const std::uint32_t record = of_row.launch_indices[position];
  const std::vector<std::uint32_t>& records = run.launches.record;
  if (records.empty()) return record;
  const auto found = std::ranges::lower_bound(records, record);
  if (found == records.end() || *found != record) return std::nullopt;
  return static_cast<std::size_t>(found - records.begin());
}

figure::LaunchSample launch_sample(const OpenRun& run, std::size_t row,
                                   SelectionModel::Launch launch, const ShownLaunches& shown) {
  const analysis::KernelRow& of_row = run.analysis.rows[row];
  figure::LaunchSample sample;
  sample.operation_class = of_row.operation_class;
  sample.disturbed = std::ssize(of_row.disturbed_indices);
  if (of_row.launch_indices.empty()) return sample;
  sample.durations_s = analysis::LaunchDurations(run.analysis).of(of_row);
  if (analysis::is_memory_operation(of_row)) return sample;
  const std::size_t launches = of_row.launch_indices.size();
  if (!shown.all()) sample.passes.resize(launches);
  for (std::size_t i = 0; i < launches; ++i) {
    const SelectionModel::Launch at = launch_at(run, row, i);
    if (!at) continue;
    if (!shown.all()) sample.passes[i] = shown.passes[*at];
    if (launch == at) sample.selected = i;
  }
  return sample;
}

}  // namespace mansard::gui
