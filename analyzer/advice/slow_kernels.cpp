// SPDX-License-Identifier: Apache-2.0
// Kernels far from the speed of light of their work, where much time is to be had.
#include <algorithm>
#include <cstdio>

#include "analyzer/advice/advice.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kFar = 1.5;          // cost over speed of light
constexpr std::size_t kMostRows = 5;  // the rest is in the kernel table

std::string what_helps(const KernelRow& row) {
  switch (row.limit.bound) {
    case Bound::compute:
      return " Look for a larger tile, a shape that fills the SMs, or another library's kernel.";
    case Bound::bandwidth:
      return " Look at how it reads memory, and at how many blocks it keeps in flight.";
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
    const double saving_s = unit.cost_s(i) - unit.per_unit(i, row.limit.time_s);
    if (worth_telling(saving_s, run, unit)) slow.emplace_back(-saving_s, i);
  }
  std::sort(slow.begin(), slow.end());
  if (slow.size() > kMostRows) slow.resize(kMostRows);
  std::vector<Advice> out;
  for (const auto& [negative_s, i] : slow) {
    const KernelRow& row = run.rows[i];
    char times[32];
    std::snprintf(times, sizeof times, "%.2f", *row.slowdown);
    Advice advice;
    advice.concerned_s = unit.duration_s(i);
    advice.id = "slow_kernel";
    advice.title = row.short_name + " is far from its speed of light";
    advice.text = "It takes " + format_si(advice.concerned_s, "s") + " in " +
                  format_count(unit.launches(i)) + " launches per " + std::string(unit.name()) +
                  ", " + times + " times its speed-of-light time, which " + row.limit.bound_label +
                  " sets." + what_helps(row);
    advice.saving_s = -negative_s;
    advice.row_savings = {{.row = i, .time_s = -negative_s}};
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
