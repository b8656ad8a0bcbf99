// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work_shares.h"

#include <algorithm>

#include "analyzer/steps/find_steps.h"

namespace mansard::analysis {

namespace {

struct Weights {
  double time_ns = 0;
  double count = 0;

  void add(double duration_ns) {
    time_ns += duration_ns;
    count += 1;
  }
  // Kernels with zero measured duration share equally.
  double fraction(double duration_ns) const {
    return time_ns > 0 ? duration_ns / time_ns : 1.0 / count;
  }
};

struct GroupWeights {
  Weights all;
  Weights of_class;  // kernels of the range's class, by their names
};

double duration_ns(const store::KernelRecord& kernel) {
  return store::has_times(kernel.start_ns, kernel.end_ns)
             ? static_cast<double>(kernel.end_ns - kernel.start_ns)
             : 0.0;
}

}  // namespace

WorkGroups::WorkGroups(const store::Profile& profile, const Attribution& attribution)
    : profile_(profile), attribution_(attribution) {
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const std::int32_t range = attribution.range_of_kernel[i];
    const store::KernelRecord& kernel = profile.kernels[i];
    if (range < 0 || kernel.graph_node_id == 0) continue;
    of_graph_launch_.try_emplace({range, kernel.correlation_id}, size());
  }
}

std::optional<std::size_t> WorkGroups::of(std::size_t kernel) const {
  const std::int32_t range = attribution_.range_of_kernel[kernel];
  if (range < 0) return std::nullopt;
  const store::KernelRecord& record = profile_.kernels[kernel];
  return record.graph_node_id == 0 ? static_cast<std::size_t>(range)
                                   : of_graph_launch_.at({range, record.correlation_id});
}

std::vector<KernelShare> share_work(const store::Profile& profile, const Attribution& attribution,
                                    const KernelNames& names) {
  std::vector<KernelShare> shares(profile.kernels.size());
  const WorkGroups groups(profile, attribution);
  std::vector<GroupWeights> weights(groups.size());
  // A launch whose counters were read has no record, so the kernels of its range are incomplete.
  std::vector<bool> incomplete(attribution.ranges.size(), false);
  for (const store::CounterReading* reading : readings_in_run(profile)) {
    const std::size_t i = static_cast<std::size_t>(reading - profile.counter_readings.data());
    const std::int32_t range =
        i < attribution.range_of_reading.size() ? attribution.range_of_reading[i] : -1;
    if (range >= 0) incomplete[static_cast<std::size_t>(range)] = true;
  }
  const auto is_of_class = [&](std::size_t kernel) {
    const auto range = static_cast<std::size_t>(attribution.range_of_kernel[kernel]);
    const std::string& wanted = attribution.ranges[range].work->operation_class;
    return !wanted.empty() && names[names.of_kernel(kernel)].by_rules.operation_class == wanted;
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::optional<std::size_t> group = groups.of(i);
    if (!group) continue;
    const double time_ns = duration_ns(profile.kernels[i]);
    weights[*group].all.add(time_ns);
    if (is_of_class(i)) weights[*group].of_class.add(time_ns);
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::optional<std::size_t> group = groups.of(i);
    if (!group) continue;
    const std::int32_t range = attribution.range_of_kernel[i];
    if (*group < incomplete.size() && incomplete[*group]) continue;
    const GroupWeights& weight = weights[*group];
    const bool by_class = weight.of_class.count > 0;
    if (by_class && !is_of_class(i)) continue;
    shares[i].range = range;
    shares[i].fraction =
        (by_class ? weight.of_class : weight.all).fraction(duration_ns(profile.kernels[i]));
    shares[i].flop_fraction = shares[i].fraction;
  }
  return shares;
}

std::optional<Precision> work_precision(const kernels::WorkAnnotation& work,
                                        const std::optional<Precision>& by_name) {
  return work.precision ? work.precision : by_name;
}

bool has_amounts(const kernels::WorkAnnotation& work) {
  return work.flop > 0 || std::any_of(work.bytes.begin(), work.bytes.end(),
                                      [](const auto& entry) { return entry.second > 0; });
}

}  // namespace mansard::analysis
