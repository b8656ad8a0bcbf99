// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launch_work.h"

#include <algorithm>

#include "analyzer/attribution/graph_shares.h"
#include "analyzer/counters/executed_flop.h"
#include "analyzer/kernel_rows.h"

namespace mansard::analysis {

namespace {

bool counts_flop(const CountedWork& counted) {
  return !counted.flop.empty() || !counted.flop_per_s.empty();
}

bool counts_bytes(const CountedWork& counted, MemoryLevel level) {
  return counted.bytes.contains(level) || counted.bytes_per_s.contains(level);
}

// Whether the launch's FLOPs, or bytes of a tier, are those of its annotation: of stated and
// counted work, the stated; of modeled and counted work, the counted.
bool takes_flop(const kernels::WorkAnnotation* work, const CountedWork* counted) {
  if (work == nullptr || !(work->flop > 0)) return false;
  return !work->modeled || counted == nullptr || !counts_flop(*counted);
}

bool takes_bytes(const kernels::WorkAnnotation* work, const CountedWork* counted,
                 MemoryLevel level) {
  if (work == nullptr) return false;
  const auto found = work->bytes.find(level);
  if (found == work->bytes.end() || !(found->second > 0)) return false;
  return !work->modeled || counted == nullptr || !counts_bytes(*counted, level);
}

std::vector<KernelShare> all_shares(const store::Profile& profile, const Attribution& attribution,
                                    const KernelNames& names, const std::vector<Steps>& steps) {
  std::vector<KernelShare> shares = share_work(profile, attribution, names);
  add_shares_of_graphs(profile, attribution, steps, shares);
  return shares;
}

CountedWorks count_work(const store::Profile& profile, const Attribution& attribution,
                        const WorkKinds& kinds, std::vector<KernelShare>& shares) {
  CountedWorks counted(profile, kinds);
  settle_flop(profile, attribution, kinds, counted, shares);
  return counted;
}

}  // namespace

WorkSources::WorkSources(const store::Profile& from, const LaunchTable& launches,
                         const KernelRules& rules, const std::vector<Steps>& steps)
    : profile(from),
      attribution(attribute_kernels(from)),
      names(from, rules),
      shares(all_shares(from, attribution, names, steps)),
      kinds(from, attribution, rules, shares, steps),
      counted(count_work(from, attribution, kinds, shares)),
      graph_counts(from, attribution, names, shares, kinds, counted),
      messages(from, launches, names) {}

const kernels::WorkAnnotation* WorkSources::annotation(std::size_t kernel) const {
  const std::int32_t range = shares[kernel].range;
  if (range < 0) return nullptr;
  const kernels::WorkAnnotation* work = attribution.ranges[static_cast<std::size_t>(range)].work;
  return work != nullptr && has_amounts(*work) ? work : nullptr;
}

const CountedWork* WorkSources::counted_of(std::size_t kernel) const {
  const store::KernelRecord& record = profile.kernels[kernel];
  const std::uint16_t kind = kinds.of_kernel(kernel);
  const CountedWork* own = counted.of(record, kind);
  return own != nullptr ? own : graph_counts.of(record, kind);
}

bool adds_to(const CountedWork& counted, const kernels::WorkAnnotation& modeled) {
  return takes_flop(&modeled, &counted) ||
         std::ranges::any_of(modeled.bytes, [&](const auto& entry) {
           return takes_bytes(&modeled, &counted, entry.first);
         });
}

void add_annotated(WorkTotals& totals, const kernels::WorkAnnotation& work,
                   std::optional<Precision> precision, const KernelShare& share,
                   const CountedWork* counted) {
  if (takes_flop(&work, counted)) {
    totals.flop[precision.value_or(kAssumedPrecision)] += work.flop * share.flop_fraction;
  }
  for (const auto& [level, bytes] : work.bytes) {
    if (takes_bytes(&work, counted, level)) totals.bytes[level] += bytes * share.fraction;
  }
}

void add_launch(WorkTotals& totals, const KernelRow& row, const LaunchSources& sources,
                const store::KernelRecord& kernel) {
  const kernels::WorkAnnotation* annotation = sources.annotation;
  const CountedWork* counted = sources.counted;
  // One call launches all nodes of a graph: no launch time per node.
  if (kernel.graph_node_id == 0) ++totals.launches;
  if (annotation != nullptr) {
    add_annotated(totals, *annotation, row.precision, sources.share, counted);
  }
  if (sources.message != nullptr && !takes_bytes(annotation, counted, MemoryLevel::nvlink)) {
    totals.bytes[MemoryLevel::nvlink] += sources.message->link_bytes().value_or(0);
  }
  if (counted == nullptr) return;
  const double time_s = store::has_times(kernel.start_ns, kernel.end_ns)
                            ? 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns)
                            : 0;
  if (!takes_flop(annotation, counted) && !is_bandwidth_only(row.operation_class)) {
    for (const auto& [precision, flop] : counted->flop) totals.flop[precision] += flop;
    for (const auto& [precision, rate] : counted->flop_per_s) {
      totals.flop[precision] += rate * time_s;
    }
  }
  for (const auto& [level, bytes] : counted->bytes) {
    if (!takes_bytes(annotation, counted, level)) totals.bytes[level] += bytes;
  }
  for (const auto& [level, rate] : counted->bytes_per_s) {
    if (!takes_bytes(annotation, counted, level)) totals.bytes[level] += rate * time_s;
  }
}

bool uses_rates(const kernels::WorkAnnotation* annotation, const CountedWork* counted) {
  if (counted == nullptr) return false;
  if (!counted->flop_per_s.empty() && !takes_flop(annotation, counted)) return true;
  for (const auto& [level, rate] : counted->bytes_per_s) {
    if (!takes_bytes(annotation, counted, level)) return true;
  }
  return false;
}

LaunchWork::LaunchWork(const RunAnalysis& run, const KernelRules& rules)
    : run_(run), launches_(launches_of(run)), sources_(run.profile, launches_, rules, run.steps) {}

const KernelRow* LaunchWork::row(std::size_t kernel) const {
  const std::size_t row = launches_.row(kernel);
  return row == kNoRow ? nullptr : &run_.rows[row];
}

WorkTotals LaunchWork::work(std::size_t kernel) const {
  WorkTotals totals;
  const KernelRow* row_of_kernel = row(kernel);
  if (row_of_kernel == nullptr) return totals;
  const kernels::WorkAnnotation* annotation = sources_.annotation(kernel);
  const CountedWork* counted = sources_.counted_of(kernel);
  if (row_of_kernel->work_is_mean || uses_rates(annotation, counted)) counted = nullptr;
  add_launch(totals, *row_of_kernel,
             {annotation, sources_.shares[kernel], counted, sources_.messages.of(kernel)},
             run_.profile.kernels[kernel]);
  return totals;
}

SpeedOfLight LaunchWork::sol(std::size_t kernel, const WorkTotals& work) const {
  const KernelRow* row_of_kernel = row(kernel);
  const bool known = row_of_kernel != nullptr && row_of_kernel->origin != WorkOrigin::none &&
                     (!work.flop.empty() || !work.bytes.empty());
  return known && run_.machine ? speed_of_light(work, *run_.machine) : SpeedOfLight();
}

}  // namespace mansard::analysis
