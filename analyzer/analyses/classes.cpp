// SPDX-License-Identifier: Apache-2.0
// Time by class of operation: GEMM, attention, quantise, ...
#include <algorithm>
#include <map>

#include "analyzer/row_totals.h"
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

// "BF16 92.0 %, FP8 E4M3 8.0 %", the longest first; not known where no row tells.
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
  std::map<std::string, ClassTotals> totals;
  for (const KernelRow& row : run.rows) {
    if (row.launches > 0) totals[row.operation_class].add_row(row);
  }
  std::vector<std::pair<std::string, ClassTotals>> classes(totals.begin(), totals.end());
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.second.time_s > b.second.time_s; });

  Table table;
  table.id = "classes";
  table.title = "Time by class of operation";
  table.columns = {
      {"class", "class", CellFormat::text, "", "By annotation, else by the kernel's name"},
      {"time_s", "time", CellFormat::quantity, "s", "Sum over launches"},
      {"share", "share", CellFormat::fraction, "", "Of the time of all rows"},
      {"launches", "launches", CellFormat::count, "", "Kernels or annotated host ranges"},
      {"signatures", "rows", CellFormat::count, "", "Rows of the kernel table"},
      {"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s", "Over the rows with known FLOPs"},
      {"known_fraction", "known", CellFormat::fraction, "",
       "Share of the class's time with known FLOPs or bytes"},
      {"speed_of_light_s", "speed of light", CellFormat::quantity, "s",
       "Least time of the work that is known"},
      {"inefficiency", "distance", CellFormat::ratio, "",
       "Time of the work that is known over its speed of light"},
      {"precisions", "precisions", CellFormat::text, "", "Shares of the class's time, where known"},
      {"libraries", "libraries", CellFormat::text, "",
       "Shares of the class's time, where names tell"},
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"class"},
                      .value_keys = {"time_s"},
                      .reference_key = "speed_of_light_s"};
  for (const auto& [name, total] : classes) {
    table.add({name, total.time_s, total.share, total.launches, total.rows,
               quotient(total.flop, total.flop_s), quotient(total.known_s, total.time_s),
               positive(total.limit_s), quotient(total.cost_s, total.limit_s),
               shares(total.precision_s, total.time_s), shares(total.library_s, total.time_s)},
              {.operation_class = name});
  }

  Finding finding;
  finding.id = "classes";
  finding.title = "Classes of operation";
  if (classes.empty()) {
    finding.summary = "There are no kernels and no annotated host work.";
  } else {
    finding.summary = "The class that took most time is " + classes.front().first + ", with " +
                      format_percent(classes.front().second.share) + " of it.";
  }
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_classes(AnalysisRegistry& registry) {
  registry.add({.name = "classes",
                .summary = "Time, rate and distance from speed of light by class of operation",
                .order = 20,
                .run = by_class});
}

}  // namespace mansard::analysis
