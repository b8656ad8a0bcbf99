// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launch_work.h"

#include "analyzer/activity.h"
#include "analyzer/kernel_rows.h"
#include "analyzer/rows_of_kernels.h"

namespace mansard {

void add_annotated(WorkTotals& totals, const WorkAnnotation& work,
                   std::optional<Precision> precision, double fraction) {
  if (work.flop > 0) totals.flop[precision.value_or(kAssumedPrecision)] += work.flop * fraction;
  for (const auto& [level, bytes] : work.bytes) {
    if (bytes > 0) totals.bytes[level] += bytes * fraction;
  }
}

void add_counted(WorkTotals& totals, const WorkAnnotation* work, const CountedWork& counted,
                 double launch_s) {
  const double scale = counted.scale(launch_s);
  if (work == nullptr || !(work->flop > 0)) {
    for (const auto& [precision, flop] : counted.flop) totals.flop[precision] += flop * scale;
  }
  for (const auto& [level, bytes] : counted.bytes) {
    const bool said = work != nullptr && work->bytes.contains(level) && work->bytes.at(level) > 0;
    if (!said) totals.bytes[level] += bytes * scale;
  }
}

LaunchWorks::LaunchWorks(const RunAnalysis& run, const KernelRules& rules)
    : run_(run),
      row_of_(rows_of_kernels(run)),
      attribution_(attribute_kernels(run.profile)),
      shares_(share_work(run.profile, attribution_, KernelNames(run.profile, rules))),
      counted_(run.profile) {}

const KernelRow* LaunchWorks::row(std::size_t kernel) const {
  return row_of_[kernel] == kNoRow ? nullptr : &run_.rows[row_of_[kernel]];
}

WorkTotals LaunchWorks::work(std::size_t kernel) const {
  WorkTotals totals;
  const KernelRow* row_of_kernel = row(kernel);
  if (row_of_kernel == nullptr) return totals;
  const KernelRecord& record = run_.profile.kernels[kernel];
  if (record.graph_node_id == 0) totals.launches = 1;
  const KernelShare& share = shares_[kernel];
  const WorkAnnotation* work =
      share.range < 0 ? nullptr : attribution_.ranges[static_cast<std::size_t>(share.range)].work;
  if (work != nullptr && !has_amounts(*work)) work = nullptr;
  if (work != nullptr) add_annotated(totals, *work, row_of_kernel->precision, share.fraction);
  if (const CountedWork* counted = counted_.of(record)) {
    const bool timed = has_times(record.start_ns, record.end_ns);
    add_counted(totals, work, *counted,
                timed ? 1e-9 * static_cast<double>(record.end_ns - record.start_ns) : 0);
  }
  return totals;
}

SpeedOfLight LaunchWorks::limit(std::size_t kernel, const WorkTotals& work) const {
  const KernelRow* row_of_kernel = row(kernel);
  const bool known = row_of_kernel != nullptr && row_of_kernel->origin != WorkOrigin::none;
  return known && run_.machine ? speed_of_light(work, *run_.machine) : SpeedOfLight();
}

}  // namespace mansard
