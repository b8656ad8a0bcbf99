// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/launch_work.h"
#include "analyzer/row_times.h"

namespace mansard::analysis {

namespace {

std::string row_name(const kernels::WorkAnnotation& work) {
  return work.shape.empty() ? work.name : work.name + " " + work.shape;
}

}  // namespace

std::vector<KernelRow> host_rows(const store::Profile& profile, const Attribution& attribution,
                                 const KernelRules& rules, const DisturbedTime& disturbed,
                                 bool all_disturbed) {
  if (has_device_activity(profile) && profile.api_calls.empty()) return {};

  std::vector<KernelRow> rows;
  std::map<std::tuple<std::string, OperationClass, std::optional<Precision>, bool>, std::size_t>
      row_of;
  std::unordered_map<std::string, KernelClass> classes;  // each name is classified once
  for (std::size_t i = 0; i < attribution.ranges.size(); ++i) {
    const AttributedRange& range = attribution.ranges[i];
    if (range.device_work || range.work->modeled) continue;
    const kernels::WorkAnnotation& work = *range.work;
    const auto [known, is_unknown] = classes.try_emplace(work.name);
    if (is_unknown) known->second = rules.classify(work.name);
    const KernelClass& by_name = known->second;
    const OperationClass operation_class = work.operation_class.empty()
                                               ? by_name.operation_class
                                               : OperationClass(work.operation_class);
    const std::optional<Precision> precision = work_precision(work, by_name.precision);
    const auto [entry, is_new] = row_of.try_emplace(
        {row_name(work), operation_class, precision, has_amounts(work)}, rows.size());
    if (is_new) {
      KernelRow& row = rows.emplace_back();
      row.kind = RowKind::host_range;
      row.target = kernels::Target::host;
      row.name = row_name(work);
      row.short_name = work.name;
      row.operation_class = operation_class;
      row.precision = precision;
      row.origin = has_amounts(work) ? WorkOrigin::annotated : WorkOrigin::none;
    }
    KernelRow& row = rows[entry->second];
    if (!all_disturbed && disturbed.overlaps(range.start_ns, range.end_ns)) {
      row.disturbed_indices.push_back(static_cast<std::uint32_t>(range.nvtx));
      continue;
    }
    // Index into the attribution's ranges until the times are set.
    row.launch_indices.push_back(static_cast<std::uint32_t>(i));
    add_annotated(row.work, work, row.precision, {.fraction = 1, .flop_fraction = 1});
  }

  std::vector<double> durations_s;
  for (KernelRow& row : rows) {
    durations_s.clear();
    for (std::uint32_t& index : row.launch_indices) {
      const AttributedRange& range = attribution.ranges[index];
      durations_s.push_back(static_cast<double>(range.exclusive_ns) * 1e-9);
      index = static_cast<std::uint32_t>(range.nvtx);
    }
    row.launch_indices.shrink_to_fit();
    set_times(row, durations_s);
  }
  return rows;
}

}  // namespace mansard::analysis
