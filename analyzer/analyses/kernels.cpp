// SPDX-License-Identifier: Apache-2.0
// The kernel table: all values of all rows.
#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

Finding kernel_table(const RunAnalysis& run) {
  const KernelColumns columns = kernel_table_columns(run);
  Table table{"kernels", "Kernels by time", heads(columns), {}};
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].launches == 0) continue;
    table.add(cells(columns, KernelEntry(run.rows[i])), {.row = i});
  }

  Finding finding;
  finding.id = "kernels";
  finding.title = "Kernels";
  finding.summary = "There are no kernels and no annotated host work.";
  if (!run.rows.empty()) {
    const KernelRow& top = run.rows.front();
    finding.summary = "Of " + format_whole(run.rows.size()) + " rows, " + top.short_name +
                      " takes the most time: " + format_percent(top.share) + " of the total.";
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
