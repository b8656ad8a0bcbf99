// SPDX-License-Identifier: Apache-2.0
// The kernel table: all values of all rows.
#include <algorithm>
#include <functional>
#include <numeric>

#include "analyzer/kernel_columns.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

Finding kernel_table(const RunAnalysis& run) {
  const KernelColumns columns = kernel_table_columns(run);
  Table table{"kernels", "Kernels by time", heads(columns), {}};
  // Per typical step, if there are steps: start-up then does not decide the order.
  std::vector<std::size_t> order(run.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t row) { return run.rows[row].step_time_s; });
  for (const std::size_t i : order) {
    if (run.rows[i].launches == 0) continue;
    table.add(cells(columns, KernelEntry(run.rows[i])), {.row = i});
  }

  Finding finding;
  finding.id = "kernels";
  finding.title = "Kernels";
  finding.summary = "There are no kernels and no annotated host work.";
  if (!run.rows.empty()) {
    const RunUnit unit(run);
    const auto time_s = [&](std::size_t row) { return unit.duration_s(row); };
    std::size_t top = 0;
    double all_s = 0;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      if (time_s(i) > time_s(top)) top = i;
      all_s += time_s(i);
    }
    const bool by_step = unit.name() == "step" && all_s > 0;
    finding.summary = "Of " + format_whole(static_cast<std::int64_t>(run.rows.size())) +
                      " kernel signatures, memcpys and memsets, " +
                      run.rows[by_step ? top : 0].short_name + " takes the most time" +
                      (by_step ? " of a typical step" : "") + ": " +
                      format_percent(by_step ? time_s(top) / all_s : run.rows[0].share) +
                      (by_step ? " of its kernels, memcpys and memsets." : " of the total.");
  }
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_kernels(AnalysisRegistry& registry) {
  registry.add({.name = "kernels",
                .summary = "All kernel signatures: work, FLOP/s, bound and slowdown vs. SOL",
                .order = 30,
                .run = kernel_table});
}

}  // namespace mansard::analysis
