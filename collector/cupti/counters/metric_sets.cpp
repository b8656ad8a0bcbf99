// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/metric_sets.h"

#include <algorithm>
#include <array>
#include <utility>

#include "collector/session/recording_options.h"
#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"
#include "kernels/vocabulary/memory_level.h"

namespace mansard::collector {
namespace {

// Memory tiers, the most useful first: the first launch of a kernel should provide the most
// information.
constexpr std::array kTiers = {
    MemoryLevel::hbm,           MemoryLevel::l2,     MemoryLevel::sm_fill, MemoryLevel::shared,
    MemoryLevel::tensor_memory, MemoryLevel::nvlink, MemoryLevel::pcie};

// Utilization of the units, and stall reasons of warps.
constexpr std::array<std::string_view, 27> kMore = {
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sector_hit_rate.pct",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"};

std::vector<std::string> roofline_metrics(int compute_capability, bool with_links) {
  std::vector<std::string> metrics = {std::string(kClockMetric)};
  const auto add_flop = [&](FlopUnit unit) {
    for (const FlopCounter& counter : kFlopCounters) {
      if (counter.unit == unit) metrics.emplace_back(counter.metric);
    }
  };
  const auto add_tier = [&](MemoryLevel tier) {
    for (const CounterTerm& term : counter_terms(counter_expression(tier, compute_capability))) {
      metrics.emplace_back(term.metric);
    }
  };
  add_tier(kTiers[0]);
  add_tier(kTiers[1]);
  add_flop(FlopUnit::tensor_core);
  for (std::size_t i = 2; i < kTiers.size(); ++i) {
    if (with_links || !is_link(kTiers[i])) add_tier(kTiers[i]);
  }
  add_flop(FlopUnit::cuda_core);
  return metrics;
}

}  // namespace

MetricSet metric_set(std::string_view name, int compute_capability) {
  if (name == "auto") return {roofline_metrics(compute_capability, false), Passes::of_launches};
  if (name == "roofline") return {roofline_metrics(compute_capability, true), Passes::of_launches};
  if (name == "full") {
    MetricSet set{{std::string(kDurationMetric)}, Passes::together};
    const std::vector<std::string> roofline = roofline_metrics(compute_capability, true);
    set.metrics.insert(set.metrics.end(), roofline.begin(), roofline.end());
    set.metrics.insert(set.metrics.end(), kMore.begin(), kMore.end());
    return set;
  }
  MetricSet set{{std::string(kDurationMetric)}, Passes::one_each};
  for (const std::string& metric : parse_metric_names(name)) {
    const bool is_new =
        std::find(set.metrics.begin(), set.metrics.end(), metric) == set.metrics.end();
    if (is_new) set.metrics.push_back(metric);
  }
  return set;
}

// NVIDIA's chips by compute capability: CUDA C++ Programming Guide, "Compute Capabilities".
std::optional<int> compute_capability_of_chip(std::string_view chip) {
  constexpr std::pair<std::string_view, int> kChips[] = {
      {"GV100", 70},  {"GV11B", 72},  {"TU1", 75},    {"GA100", 80},  {"GA10B", 87},
      {"GA10", 86},   {"AD10", 89},   {"GH100", 90},  {"GB100", 100}, {"GB102", 100},
      {"GB110", 103}, {"GB10B", 110}, {"GB20B", 121}, {"GB20", 120}};
  for (const auto& [prefix, capability] : kChips) {
    if (chip.starts_with(prefix)) return capability;
  }
  return std::nullopt;
}

}  // namespace mansard::collector
