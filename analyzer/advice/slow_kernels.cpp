// SPDX-License-Identifier: Apache-2.0
// Kernels far slower than their speed-of-light time, with a large potential saving.
#include <algorithm>
#include <cstdio>

#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kFar = 1.5;         // slowdown vs. SOL, T / T_sol
constexpr std::size_t kMaxRows = 5;  // the kernel table has all

std::string what_helps(const KernelRow& row) {
  switch (row.sol.bound) {
    case Bound::compute:
      return " Try a larger tile, a shape that fills all SMs (no tail effect), or another "
             "library's kernel.";
    case Bound::bandwidth:
      return " Check memory access patterns (coalescing) and the number of bytes in flight "
             "(occupancy).";
    case Bound::launch:
    case Bound::unknown:
      break;
  }
  return "";
}

}  // namespace

std::vector<Advice> advise_on_slow_kernels(const RunAnalysis& run, const RunUnit& unit) {
  std::vector<std::pair<double, std::size_t>> slow;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    const bool has_own_rule = is_memory_operation(row) || row.operation_class == kCollectiveClass;
    if (has_own_rule || !row.slowdown || *row.slowdown < kFar) continue;
    const double saving_s = unit.cost_s(i) - unit.per_unit(i, row.sol.time_s);
    if (worth_telling(saving_s, run, unit)) slow.emplace_back(-saving_s, i);
  }
  std::sort(slow.begin(), slow.end());
  if (slow.size() > kMaxRows) slow.resize(kMaxRows);
  std::vector<Advice> out;
  for (const auto& [negative_s, i] : slow) {
    const KernelRow& row = run.rows[i];
    char times[32];
    std::snprintf(times, sizeof times, "%.2f", *row.slowdown);
    Advice advice;
    advice.concerned_s = unit.duration_s(i);
    advice.id = "slow_kernel";
    advice.title = row.short_name + " is far below speed of light";
    advice.text = "It takes " + format_si(advice.concerned_s, "s") + " in " +
                  format_count(unit.launches(i)) + " launches per " + std::string(unit.name()) +
                  ", " + times + "x its speed-of-light (SOL) time; bound by " +
                  row.sol.bound_label + "." + what_helps(row);
    advice.saving_s = -negative_s;
    advice.row_savings = {{.row = i, .time_s = -negative_s}};
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
