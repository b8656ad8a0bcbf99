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
// together get a new group, which includes `common` if possible. Tries many metrics at once, as
// most fit into one group.
void distribute(const ProfilerHost& host, std::span<const std::string> metrics,
                const std::vector<std::string>& common, std::size_t most_passes,
                std::vector<MetricGroup>& groups) {
  if (metrics.empty()) return;
  for (MetricGroup& group : groups) {
    if (add_to(host, metrics, most_passes, group)) return;
  }
  MetricGroup group{common, {}, 0};
  const bool together = add_to(host, metrics, most_passes, group);
  if (!together && metrics.size() > 1) {
    const std::size_t half = metrics.size() / 2;
    distribute(host, metrics.first(half), common, most_passes, groups);
    distribute(host, metrics.subspan(half), common, most_passes, groups);
    return;
  }
  if (!together) {
    group.metrics.clear();
    add_to(host, metrics, most_passes, group);
  }
  groups.push_back(std::move(group));
}

bool counts_instructions(std::string_view metric) {
  return metric.find("_sass_") != std::string_view::npos;
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
  std::vector<std::string> in_ranges;
  std::vector<std::string> single;
  std::vector<std::string> replayed;
  const bool timed = wanted.front() == kDurationMetric;
  std::vector<std::string> common;
  if (timed) common.push_back(wanted.front());
  for (const std::string& metric : std::span(wanted).subspan(timed ? 1 : 0)) {
    const auto alone = group_of(host, {metric}, kAny);
    if (!alone) {
      plan.unavailable.push_back(metric);
    } else if (passes == Passes::of_launches && !counts_instructions(metric)) {
      in_ranges.push_back(metric);
    } else if (passes == Passes::together || alone->passes > 1) {
      replayed.push_back(metric);
    } else {
      single.push_back(metric);
    }
  }
  if (in_ranges.empty() && single.empty() && replayed.empty()) {
    throw std::runtime_error("chip " + host.chip() +
                             " has none of these counters: " + joined(plan.unavailable));
  }
  for (std::size_t i = 0; i < in_ranges.size(); ++i) {
    distribute(host, std::span(in_ranges).subspan(i, 1), common, kAny, plan.groups);
  }
  for (MetricGroup& group : plan.groups) group.reading = GroupReading::ranges;
  std::vector<MetricGroup> in_one_pass;
  for (std::size_t i = 0; i < single.size(); ++i) {
    distribute(host, std::span(single).subspan(i, 1), common, 1, in_one_pass);
  }
  std::vector<MetricGroup> in_replay;
  distribute(host, replayed, common, kAny, in_replay);
  std::move(in_one_pass.begin(), in_one_pass.end(), std::back_inserter(plan.groups));
  std::move(in_replay.begin(), in_replay.end(), std::back_inserter(plan.groups));
  return plan;
}

}  // namespace mansard::collector
