// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/device_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/innermost_ranges.h"

namespace mansard::analysis {

namespace {

auto stream_of(const store::KernelRecord& kernel) {
  return std::tie(kernel.device_id, kernel.context_id, kernel.stream_id);
}

}  // namespace

std::vector<KernelChain> kernel_chains(const RunAnalysis& run, const RunUnit& unit,
                                       const std::function<bool(const KernelRow&)>& of_interest,
                                       bool one_of_each_class) {
  const store::RecordList<store::KernelRecord>& kernels = run.profile.kernels;
  const LaunchTable& launches = launches_of(run);
  std::vector<char> interesting(run.rows.size(), 0);
  bool any = false;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    interesting[i] = run.rows[i].kind == RowKind::kernel && of_interest(run.rows[i]) ? 1 : 0;
    any = any || interesting[i] != 0;
  }
  if (!any) return {};
  const std::vector<std::int64_t> scope_of = innermost_ranges(run.profile, launches);

  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::size_t a, std::size_t b) {
    return stream_of(kernels[a]) < stream_of(kernels[b]);  // already sorted by start
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }

  std::vector<KernelChain> chains;
  KernelChain open;
  const auto close = [&] {
    if (open.kernels.size() >= 2) chains.push_back(open);
    open = {};
  };
  const auto has_class_of = [&](std::size_t kernel) {
    return std::any_of(open.kernels.begin(), open.kernels.end(), [&](std::size_t other) {
      return run.rows[launches.row(other)].operation_class ==
             run.rows[launches.row(kernel)].operation_class;
    });
  };
  for (const std::size_t i : order) {
    if (launches.row(i) == kNoRow || interesting[launches.row(i)] == 0 ||
        !unit.counts(kernels[i].device_id, kernels[i].start_ns)) {
      close();
      continue;
    }
    if (!open.kernels.empty()) {
      const std::size_t last = open.kernels.back();
      const bool follows = stream_of(kernels[last]) == stream_of(kernels[i]) &&
                           kernels[i].start_ns - kernels[last].end_ns <= kLaunchGap_ns &&
                           scope_of[last] == scope_of[i];
      if (!follows || (one_of_each_class && has_class_of(i))) close();
    }
    open.kernels.push_back(i);
    open.time_s += duration_s(kernels[i]);
    open.longest_s = std::max(open.longest_s, duration_s(kernels[i]));
  }
  close();
  return chains;
}

bool advise_on_chains(const RunAnalysis& run, const RunUnit& unit,
                      const std::vector<KernelChain>& chains, Advice& advice) {
  const LaunchTable& launches = launches_of(run);
  std::vector<double> time_s(run.rows.size(), 0);
  std::vector<double> saved_s(run.rows.size(), 0);
  double fused_s = 0;
  for (const KernelChain& chain : chains) {
    advice.concerned_s += unit.per_unit(chain.time_s);
    fused_s += unit.per_unit(chain.longest_s);
    bool longest_left = true;
    for (const std::size_t kernel : chain.kernels) {
      const double kernel_s = duration_s(run.profile.kernels[kernel]);
      time_s[launches.row(kernel)] += kernel_s;
      if (longest_left && kernel_s == chain.longest_s) {
        longest_left = false;
      } else {
        saved_s[launches.row(kernel)] += unit.per_unit(kernel_s);
      }
    }
  }
  advice.saving_s = advice.concerned_s - fused_s;
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    if (time_s[i] > 0) advice.rows.push_back(i);
    if (saved_s[i] > 0) {
      advice.row_savings.push_back({.row = i, .time_s = saved_s[i], .work_too = true});
    }
  }
  std::stable_sort(advice.rows.begin(), advice.rows.end(),
                   [&](std::size_t a, std::size_t b) { return time_s[a] > time_s[b]; });
  return !chains.empty() && worth_telling(*advice.saving_s, run, unit);
}

}  // namespace mansard::analysis
