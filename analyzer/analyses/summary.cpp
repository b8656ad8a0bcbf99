// SPDX-License-Identifier: Apache-2.0
// Summary of the run in a few sentences. Caveats are in RunAnalysis::notes.
#include <algorithm>

#include "analyzer/activity.h"
#include "analyzer/kernel_columns.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kTopClasses = 3;

// "gemm 62.0 %, memcpy 20.1 %, idle 9.0 %"
std::string top_shares(const RunUnit& unit) {
  const std::vector<std::pair<OperationClass, double>> shares = unit.shares();
  std::string text;
  for (std::size_t i = 0; i < std::min(kTopClasses, shares.size()); ++i) {
    text += (text.empty() ? "" : ", ") + shares[i].first.name() + " " +
            format_percent(shares[i].second);
  }
  return text;
}

std::string time_text(const RunAnalysis& run, const RunUnit& unit, bool on_device) {
  if (run.all_disturbed) {
    return "Hardware counters were read throughout the profile, so step, busy and idle time are "
           "not available; kernel times are from launches whose counters were not read.";
  }
  if (unit.name() == "step") {
    const TypicalStep& step = *unit.step();
    std::string text = "A typical step takes " + format_si(step.step_s, "s") + " (mean of " +
                       format_whole(step.typical) + " of " + format_whole(step.all) + " steps";
    if (step.disturbed > 0) {
      text += "; " + format_whole(step.disturbed) + " were slowed down by reading counters";
    }
    return text + "); the GPU is idle for " + format_si(step.idle_s, "s") + " of it (" +
           format_percent(step.idle_s / step.step_s) + ").";
  }
  std::string text = on_device ? "The GPU was busy for " : "Annotated host work ran for ";
  text += format_si(run.busy_s, "s") + " of " + format_si(run.span_s, "s");
  if (run.span_s > 0) text += " (" + format_percent(run.busy_s / run.span_s) + ")";
  return text + ".";
}

std::string sol_text(const RunAnalysis& run, const RunUnit& unit) {
  const RunUnit::Sol sol = unit.sol();
  if (!(sol.sol_s > 0)) {
    return run.machine
               ? " No kernel's FLOPs or bytes are known, so there is no speed-of-light time."
               : " The machine's ceilings are unknown, so there is no speed-of-light time.";
  }
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%.2f", sol.cost_s / sol.sol_s);
  return " The speed-of-light (SOL) time is known for " + format_percent(sol.known_s / sol.all_s) +
         " of the kernel and memcpy time: " + format_si(sol.sol_s, "s") + " per " +
         std::string(unit.name()) + " on " +
         (run.machine ? run.machine->device.name : "this machine") + ", vs. " +
         format_si(sol.cost_s, "s") + " measured (slowdown " + ratio + "x).";
}

std::string describe(const RunAnalysis& run, const RunUnit& unit, bool on_device) {
  if (run.rows.empty() && run.span_s <= 0) return "The profile has no activity.";
  std::string text = time_text(run, unit, on_device);
  if (run.rows.empty()) return text;
  if (const std::string top = top_shares(unit); !top.empty())
    text += " Largest shares: " + top + ".";
  return text + sol_text(run, unit);
}

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
                        positive(run.busy_s), quotient(run.busy_s, run.span_s), kernels.launches,
                        all.time_s, quotient(sol.known_s, sol.all_s), positive(sol.sol_s),
                        quotient(sol.cost_s, sol.sol_s), machine, origin});
  return table;
}

// Time by bound: which ceilings of a faster machine would help.
Table bounds_table(const RunAnalysis& run) {
  std::vector<std::pair<std::string, RowTotals>> bounds;
  for (const KernelRow& row : run.rows) {
    if (row.launches == 0) continue;
    const std::string label = row.sol.time_s > 0 ? row.sol.bound_label : "unknown";
    auto entry = std::find_if(bounds.begin(), bounds.end(),
                              [&](const auto& known) { return known.first == label; });
    if (entry == bounds.end()) entry = bounds.insert(bounds.end(), {label, {}});
    entry->second.add(row);
  }
  std::stable_sort(bounds.begin(), bounds.end(),
                   [](const auto& a, const auto& b) { return a.second.time_s > b.second.time_s; });
  Table table;
  table.id = "bounds";
  table.title = "Time by bound";
  const KernelColumns columns = choose(kernel_columns(), {"time_s", "share", "sol_s", "slowdown"});
  table.columns = {kernel_head("bound")};
  append(table.columns, heads(columns));
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"bound"},
                      .value_keys = {"time_s"},
                      .reference_key = "sol_s"};
  for (const auto& [label, total] : bounds) {
    KernelEntry entry;
    entry.totals = total;
    std::vector<Cell> line = {label};
    append(line, cells(columns, entry));
    table.rows.push_back(std::move(line));
  }
  return table;
}

Finding summarize(const RunAnalysis& run) {
  const RunUnit unit(run);
  Finding finding;
  finding.id = "summary";
  finding.title = run.title.empty() ? "Summary" : "Summary of " + run.title;
  finding.summary = describe(run, unit, has_device_activity(run.profile));
  finding.tables = {run_table(run, unit), bounds_table(run)};
  return finding;
}

}  // namespace

void register_summary(AnalysisRegistry& registry) {
  registry.add({.name = "summary",
                .summary = "Step time, busy and idle time, and slowdown vs. SOL",
                .order = 10,
                .run = summarize});
}

}  // namespace mansard::analysis
