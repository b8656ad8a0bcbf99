// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/metric_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>

namespace mansard::collector {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Returns the group with its configuration; none if the chip cannot read these metrics together, or
// needs too many passes.
std::optional<MetricGroup> group_of(const ProfilerHost& host, std::vector<std::string> metrics,
                                    std::size_t most_passes) {
  MetricGroup group{std::move(metrics), {}, 0};
  group.config = host.config_image(group.metrics);
  if (group.config.empty()) return std::nullopt;
  group.passes = host.passes(group.config);
  return group.passes <= most_passes ? std::optional(std::move(group)) : std::nullopt;
}

bool add_to(const ProfilerHost& host, std::span<const std::string> metrics, std::size_t most_passes,
            MetricGroup& group) {
  std::vector<std::string> all = group.metrics;
  all.insert(all.end(), metrics.begin(), metrics.end());
  auto larger = group_of(host, std::move(all), most_passes);
  if (larger) group = std::move(*larger);
  return larger.has_value();
}

// Adds each metric to the first group that accepts it. Metrics whose units cannot be programmed
// together get a new group, which includes the duration if possible. Tries many metrics at once, as
// most replayed ones fit into one group.
void distribute(const ProfilerHost& host, std::span<const std::string> metrics,
                const std::string& duration, std::size_t most_passes,
                std::vector<MetricGroup>& groups) {
  if (metrics.empty()) return;
  for (MetricGroup& group : groups) {
    if (add_to(host, metrics, most_passes, group)) return;
  }
  MetricGroup group{{duration}, {}, 0};
  const bool together = add_to(host, metrics, most_passes, group);
  if (!together && metrics.size() > 1) {
    const std::size_t half = metrics.size() / 2;
    distribute(host, metrics.first(half), duration, most_passes, groups);
    distribute(host, metrics.subspan(half), duration, most_passes, groups);
    return;
  }
  if (!together) {
    group.metrics.clear();
    add_to(host, metrics, most_passes, group);
  }
  groups.push_back(std::move(group));
}

}  // namespace

MetricPlan plan_one_pass(const ProfilerHost& host, const std::vector<std::string>& wanted) {
  MetricPlan plan;
  MetricGroup group;
  for (const std::string& metric : wanted) {
    if (!add_to(host, std::span(&metric, 1), 1, group)) plan.unavailable.push_back(metric);
  }
  if (group.metrics.empty()) {
    throw std::runtime_error("chip " + host.chip() +
                             " has none of these counters: " + joined(plan.unavailable));
  }
  plan.groups.push_back(std::move(group));
  return plan;
}

MetricPlan plan_metrics(const ProfilerHost& host, const std::vector<std::string>& wanted,
                        Passes passes) {
  constexpr std::size_t kAny = ~std::size_t{0};
  MetricPlan plan;
  std::vector<std::string> single;
  std::vector<std::string> replayed;
  const std::string& duration = wanted.front();
  for (const std::string& metric : std::span(wanted).subspan(1)) {
    const auto alone = group_of(host, {metric}, kAny);
    if (!alone) {
      plan.unavailable.push_back(metric);
    } else if (passes == Passes::together || alone->passes > 1) {
      replayed.push_back(metric);
    } else {
      single.push_back(metric);
    }
  }
  if (single.empty() && replayed.empty()) {
    throw std::runtime_error("chip " + host.chip() +
                             " has none of these counters: " + joined(plan.unavailable));
  }
  for (std::size_t i = 0; i < single.size(); ++i) {
    distribute(host, std::span(single).subspan(i, 1), duration, 1, plan.groups);
  }
  std::vector<MetricGroup> in_replay;
  distribute(host, replayed, duration, kAny, in_replay);
  std::move(in_replay.begin(), in_replay.end(), std::back_inserter(plan.groups));
  return plan;
}

}  // namespace mansard::collector
