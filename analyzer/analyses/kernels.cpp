// SPDX-License-Identifier: Apache-2.0
// The kernel table: all values of all rows.
#include "analyzer/kernel_columns.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

Finding kernel_table(const RunAnalysis& run) {
  const KernelColumns columns = kernel_table_columns(run);
  Table table{"kernels", kernel_table_title(run), heads(columns), {}};
  for (const std::size_t i : rows_in_order(run)) {
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
