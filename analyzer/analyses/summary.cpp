// SPDX-License-Identifier: Apache-2.0
// Summary of the run in a few sentences. Caveats are in RunAnalysis::notes.
#include <algorithm>

#include "analyzer/answer.h"
#include "analyzer/kernel_columns.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

Table run_table(const RunAnalysis& run, const RunUnit& unit) {
  RowTotals kernels;
  RowTotals all;
  for (const KernelRow& row : run.rows) {
    all.add(row);
    if (!is_memory_operation(row)) kernels.add(row);
  }
  const std::string per = " per " + std::string(unit.name());
  Table table;
  table.id = "run";
  table.title = "Run";
  table.columns = {
      {"step_s", "step", CellFormat::quantity, "s", "Mean of the typical steps"},
      {"step_idle_s", "idle", CellFormat::quantity, "s", "Idle time per step"},
      {"span_s", "span", CellFormat::quantity, "s",
       "From the first activity to the last, without time in which counters were read"},
      {"busy_s", "busy", CellFormat::quantity, "s", "Time in the span in which anything ran"},
      {"busy_fraction", "busy share", CellFormat::fraction, "", "Busy time / span"},
      kernel_head("step_launches", "Kernels in a typical step"),
      kernel_head("launches", "Kernels or annotated host ranges, undisturbed by reading counters"),
      {"rows_s", "total time", CellFormat::quantity, "s",
       "Total duration of kernels, memcpys and memsets; overlapping time counts twice"},
      kernel_head("known_fraction",
                  "Share of the kernel, memcpy and memset time" + per + " with known SOL time"),
      kernel_head("sol_s", "T_sol of the known work" + per),
      kernel_head("slowdown", "T / T_sol of the known work"),
      {"machine", "machine", CellFormat::text, "", "Device whose ceilings are used"},
      {"ceilings", "ceilings", CellFormat::text, "", "Measured, or published figures"},
  };
  Cell machine;
  Cell origin;
  if (run.machine) {
    machine = run.machine->device.name;
    origin = std::string(to_string(run.machine_provenance.origin));
  }
  const bool by_step = unit.name() == "step";
  const RunUnit::Sol sol = unit.sol();
  table.rows.push_back({by_step ? Cell(unit.time_s()) : Cell(),
                        by_step ? Cell(unit.idle_s()) : Cell(), positive(run.span_s),
                        positive(run.busy_s), quotient(run.busy_s, run.span_s),
                        by_step ? Cell(kernels.step_launches) : Cell(), kernels.launches,
                        all.time_s, quotient(sol.known_s, sol.all_s), positive(sol.sol_s),
                        quotient(sol.cost_s, sol.sol_s), machine, origin});
  return table;
}

// Time by bound: which ceilings of a faster machine would help.
Table bounds_table(const RunAnalysis& run, const RunUnit& unit) {
  struct Bounded {
    std::string label;
    double time_s = 0;
    double cost_s = 0;
    double sol_s = 0;
  };
  std::vector<Bounded> bounds;
  double all_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (!(unit.duration_s(i) > 0)) continue;
    const bool known = run.rows[i].sol.time_s > 0;
    const std::string label = known ? run.rows[i].sol.bound_label : "unknown";
    auto entry = std::ranges::find(bounds, label, &Bounded::label);
    if (entry == bounds.end()) entry = bounds.insert(entry, {.label = label});
    entry->time_s += unit.duration_s(i);
    all_s += unit.duration_s(i);
    if (!known) continue;
    entry->cost_s += unit.cost_s(i);
    entry->sol_s += unit.per_unit(i, run.rows[i].sol.time_s);
  }
  std::ranges::stable_sort(bounds, std::greater(), &Bounded::time_s);
  const std::string per = "per " + std::string(unit.name());
  Table table;
  table.id = "bounds";
  table.title = "Time by bound, " + per;
  table.columns = {
      kernel_head("bound"), kernel_head("time_s", "Total duration " + per),
      kernel_head("share", "Share of the duration of all kernels, memcpys and memsets"),
      kernel_head("sol_s", "T_sol " + per), kernel_head("slowdown")};
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"bound"},
                      .value_keys = {"time_s"},
                      .reference_key = "sol_s"};
  for (const Bounded& b : bounds) {
    table.rows.push_back({b.label, b.time_s, quotient(b.time_s, all_s), positive(b.sol_s),
                          quotient(b.cost_s, b.sol_s)});
  }
  return table;
}

Finding summary_finding(const RunAnalysis& run) {
  const RunUnit unit(run);
  Finding finding;
  finding.id = "summary";
  finding.title = run.title.empty() ? "Summary" : "Summary of " + run.title;
  const Answer answer(run, unit);
  finding.summary = answer.how_long.text;
  if (!answer.how_far.text.empty()) finding.summary += ' ' + answer.how_far.text;
  finding.tables = {run_table(run, unit), bounds_table(run, unit)};
  return finding;
}

}  // namespace

void register_summary(AnalysisRegistry& registry) {
  registry.add({.name = "summary",
                .summary = "Step time, busy and idle time, and slowdown vs. SOL",
                .order = 10,
                .run = summary_finding});
}

}  // namespace mansard::analysis
