// SPDX-License-Identifier: Apache-2.0
// Time by operation class: GEMM, attention, quantize, ...
#include <algorithm>
#include <map>

#include "analyzer/kernel_columns.h"
#include "analyzer/steps/run_unit.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

struct ClassTotals : RowTotals {
  std::map<std::string, double> precision_s;  // time by label
  std::map<std::string, double> library_s;

  void add_row(const KernelRow& row) {
    add(row);
    if (row.precision) precision_s[std::string(info(*row.precision).label)] += row.time_s;
    if (!row.library.empty()) library_s[row.library] += row.time_s;
  }
};

// "BF16 92.0 %, FP8 E4M3 8.0 %", the longest first; empty (unknown) without any times.
Cell shares(const std::map<std::string, double>& times_s, double total_s) {
  std::vector<std::pair<std::string, double>> parts(times_s.begin(), times_s.end());
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, time_s] : parts) {
    if (!(time_s > 0)) continue;
    text += (text.empty() ? "" : ", ") + name + " " + format_percent(time_s / total_s);
  }
  return text.empty() ? Cell() : Cell(text);
}

Finding by_class(const RunAnalysis& run) {
  std::map<OperationClass, ClassTotals> totals;
  for (const KernelRow& row : run.rows) {
    if (row.launches > 0) totals[row.operation_class].add_row(row);
  }
  // Per typical step, if there are steps: start-up then does not decide the order.
  const RunUnit unit(run);
  const bool by_step = has_step_times(run);
  std::vector<std::pair<OperationClass, ClassTotals>> classes(totals.begin(), totals.end());
  std::stable_sort(classes.begin(), classes.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.second.step_time_s, a.second.time_s) >
           std::pair(b.second.step_time_s, b.second.time_s);
  });

  Table table;
  table.id = "classes";
  table.title = std::string("Time by operation class") + (by_step ? ", per step" : "");
  // Columns that need known work only include the rows that have it.
  std::vector<std::string> keys;
  if (by_step) {
    keys = {"step_time_s",   "step_share", "step_saving_s", "slowdown",       "step_sol_s",
            "step_launches", "signatures", "flop_per_s",    "known_fraction", "executed_ratio",
            "time_s",        "share",      "launches",      "sol_s"};
  } else {
    keys = {"time_s",   "share",      "saving_s",   "slowdown",       "sol_s",
            "launches", "signatures", "flop_per_s", "known_fraction", "executed_ratio"};
  }
  const KernelColumns columns = choose(kernel_columns(), keys);
  table.columns = {kernel_head("class")};
  append(table.columns, heads(columns));
  append(table.columns, {{"precisions", "precisions", CellFormat::text, "",
                          "Shares of the class's time, where the precision is known"},
                         {"libraries", "libraries", CellFormat::text, "",
                          "Shares of the class's time, where the kernel name gives a library"}});
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"class"},
                      .value_keys = {by_step ? "step_time_s" : "time_s"},
                      .reference_key = by_step ? "step_sol_s" : "sol_s"};
  for (const auto& [operation_class, total] : classes) {
    KernelEntry entry;
    entry.totals = total;
    std::vector<Cell> line = {operation_class.name()};
    append(line, cells(columns, entry));
    append(line, {shares(total.precision_s, total.time_s), shares(total.library_s, total.time_s)});
    table.add(std::move(line), {.operation_class = operation_class});
  }

  Finding finding;
  finding.id = "classes";
  finding.title = "Operation classes";
  if (classes.empty()) {
    finding.summary = "There are no kernels and no annotated host work.";
  } else {
    auto shares_of_step = unit.shares();
    std::erase_if(shares_of_step, [](const auto& part) { return part.first == "idle"; });
    finding.summary = by_step && !shares_of_step.empty()
                          ? "Most time of a typical step is in class " +
                                shares_of_step.front().first.name() + ": " +
                                format_percent(shares_of_step.front().second) + "."
                          : "Most time is in class " + classes.front().first.name() + ": " +
                                format_percent(classes.front().second.share) + " of the total.";
  }
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_classes(AnalysisRegistry& registry) {
  registry.add({.name = "classes",
                .summary = "Time, FLOP/s and slowdown vs. SOL by operation class",
                .order = 20,
                .run = by_class});
}

}  // namespace mansard::analysis
