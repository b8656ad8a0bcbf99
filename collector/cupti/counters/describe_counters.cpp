// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/describe_counters.h"

#include <algorithm>
#include <stdexcept>

#include "collector/cupti/counters/metric_sets.h"

namespace mansard::collector {
namespace {

std::optional<ProfilerHost> host_of(const ProfilerHostApi& api, const std::string& chip) {
  try {
    return ProfilerHost(api, chip);
  } catch (const std::runtime_error&) {
    return std::nullopt;  // CUPTI knows only the name of the chip
  }
}

}  // namespace

std::vector<ChipCounters> describe_counters(std::string_view set_name, const std::string& chip) {
  const ProfilerHostApi api = load_profiler_host();
  const std::vector<std::string> known = known_chips(api);
  if (!chip.empty() && std::find(known.begin(), known.end(), chip) == known.end()) {
    std::string names;
    for (const std::string& name : known) names += " " + name;
    throw std::runtime_error("CUPTI does not support chip '" + chip +
                             "'; supported chips:" + names);
  }
  std::vector<ChipCounters> all;
  for (const std::string& name : known) {
    if (!chip.empty() && chip != name) continue;
    const auto host = host_of(api, name);
    if (!host) continue;
    ChipCounters& counters = all.emplace_back();
    counters.chip = name;
    counters.compute_capability = compute_capability_of_chip(name);
    const MetricSet set =
        metric_set(set_name, counters.compute_capability.value_or(kNewestCapability));
    MetricPlan plan = plan_metrics(*host, set.metrics, set.passes);
    for (MetricGroup& group : plan.groups) {
      counters.groups.push_back({group.passes, std::move(group.metrics)});
    }
    counters.unavailable = std::move(plan.unavailable);
  }
  return all;
}

}  // namespace mansard::collector
