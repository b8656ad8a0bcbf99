// SPDX-License-Identifier: Apache-2.0
// Kernels far slower than their speed-of-light time, with a large potential saving.
#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/advice/advice.h"
#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr double kFar = 1.5;          // slowdown vs. SOL, T / T_sol
constexpr std::size_t kMaxNames = 5;  // the kernel table has all

std::string what_helps(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "Try a larger tile, a shape without tail effect, or another library's kernel.";
    case Bound::bandwidth:
      return "Check coalescing of memory accesses, and occupancy (bytes in flight).";
    case Bound::launch:
    case Bound::unknown:
      break;
  }
  return "";
}

// Kernel signatures with one name and class, such as the shapes of one template.
struct SlowKernels {
  std::vector<std::size_t> rows;
  double saving_s = 0;
};

Advice advice_on(const RunAnalysis& run, const RunUnit& unit, SlowKernels slow) {
  std::ranges::stable_sort(slow.rows, std::greater(),
                           [&](std::size_t i) { return unit.duration_s(i); });
  const KernelRow& longest = run.rows[slow.rows.front()];
  Advice advice;
  advice.id = "slow_kernel";
  double sol_s = 0;
  double cost_s = 0;
  double launches = 0;
  for (const std::size_t i : slow.rows) {
    sol_s += unit.per_unit(i, run.rows[i].sol.time_s);
    cost_s += unit.cost_s(i);
    launches += unit.launches(i);
    advice.concerned_s += unit.duration_s(i);
    advice.row_savings.push_back({.row = i, .time_s = *unit.saving_s(i)});
  }
  const std::string times = format_cell(cost_s / sol_s, {"", "", CellFormat::ratio, "", ""});
  const bool several = slow.rows.size() > 1;
  advice.title = "Slow " + longest.operation_class.name() + (several ? " kernels: " : " kernel: ") +
                 brief_name(longest);
  advice.text = (several ? format_whole(static_cast<std::int64_t>(slow.rows.size())) +
                               " kernel signatures take "
                         : std::string("It takes ")) +
                format_si(advice.concerned_s, "s") + " in " + format_count(launches) +
                (launches == 1 ? " launch per " : " launches per ") + std::string(unit.name()) +
                ", " + times + " " + (several ? "their" : "its") +
                " speed-of-light (SOL) time; bound by " + longest.sol.bound_label + ".";
  advice.remedy = what_helps(longest.sol.bound);
  advice.saving_s = slow.saving_s;
  advice.rows = std::move(slow.rows);
  return advice;
}

}  // namespace

std::vector<Advice> advise_on_slow_kernels(const RunAnalysis& run, const RunUnit& unit) {
  std::map<std::pair<OperationClass, std::string>, SlowKernels> by_name;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    const bool has_own_rule = is_memory_operation(row) || row.operation_class == kCollectiveClass;
    if (has_own_rule || !row.slowdown || *row.slowdown < kFar) continue;
    // Counts of a graph are divided over its kernels by time, so all of them seem equally slow:
    // advise_on_graph_kernels().
    if (row.origin == WorkOrigin::divided) continue;
    const double saving_s = unit.saving_s(i).value_or(0);
    if (!(saving_s > 0)) continue;
    SlowKernels& slow = by_name[{row.operation_class, row.short_name}];
    slow.rows.push_back(i);
    slow.saving_s += saving_s;
  }
  std::vector<Advice> out;
  for (auto& [name, slow] : by_name) {
    if (worth_telling(slow.saving_s, run, unit)) out.push_back(advice_on(run, unit, slow));
  }
  std::ranges::stable_sort(out, std::greater(), [](const Advice& a) { return *a.saving_s; });
  if (out.size() > kMaxNames) out.resize(kMaxNames);
  return out;
}

}  // namespace mansard::analysis
