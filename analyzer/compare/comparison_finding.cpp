// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/comparison_finding.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Formats a change with its sign.
std::string change_text(double fraction, int decimals = 1) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.*f %%", decimals, 100 * fraction);
  return text;
}

std::vector<Column> value_columns(const std::string& unit) {
  const std::string per = " per " + unit;
  return {{"a_s", "A", CellFormat::quantity, "s", "Time of run A" + per},
          {"b_s", "B", CellFormat::quantity, "s", "Time of run B" + per},
          {"difference_s", "B - A", CellFormat::quantity, "s", "Negative: B is faster", true},
          {"change", "change", CellFormat::fraction, "", "(B - A) / A", true}};
}

const Column kNoiseColumn = {
    "noise_s", "noise", CellFormat::quantity, "s",
    "Smaller differences are not significant (99 %); needs at least four samples per run"};

void append_values(std::vector<Cell>& row, const ComparedValue& v) {
  row.insert(row.end(), {Cell(v.a), Cell(v.b), Cell(v.difference()), cell_of(v.relative())});
}

Table totals_table(const RunComparison& c) {
  Table table{"totals", "Totals", {}, {}};
  table.columns = {{"what", "metric", CellFormat::text, "", "Compared time"}};
  append(table.columns, value_columns(c.unit));
  append(table.columns, {kNoiseColumn,
                         {"verdict", "verdict", CellFormat::text, "",
                          "slower, faster or within noise; -: noise unknown"}});
  const auto add = [&](const std::string& what, const ComparedValue& v) {
    std::vector<Cell> row = {what};
    append_values(row, v);
    row.push_back(cell_of(v.noise));
    row.push_back(!v.noise           ? Cell()
                  : v.within_noise() ? Cell("within noise")
                                     : Cell(v.difference() > 0 ? "slower" : "faster"));
    table.rows.push_back(std::move(row));
  };
  if (c.period_s) add(c.unit == "run" ? "span" : "step time", *c.period_s);
  if (c.busy_s.a > 0 || c.busy_s.b > 0) add("GPU busy", c.busy_s);
  add("sum of kernels and memory operations", c.kernel_s);
  return table;
}

std::vector<Column> launch_columns() {
  return {{"launches_a", "launches A", CellFormat::count, "", "Per step or run"},
          {"launches_b", "launches B", CellFormat::count, "", "Per step or run"}};
}

Table classes_table(const RunComparison& c) {
  Table table{"classes", "By operation class", {}, {}};
  table.columns = {kernel_head("class")};
  append(table.columns, value_columns(c.unit));
  append(table.columns, launch_columns());
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"class"},
                      .value_keys = {"b_s"},
                      .reference_key = "a_s"};
  for (const ClassComparison& k : c.classes) {
    table.add({k.operation_class.name(), k.time_s.a, k.time_s.b, k.time_s.difference(),
               cell_of(k.time_s.relative()), k.launches.a, k.launches.b},
              {.operation_class = k.operation_class});
  }
  return table;
}

std::string match_text(KernelMatch match) {
  switch (match) {
    case KernelMatch::signature:
      return "signature";
    case KernelMatch::name:
      return "name";
    case KernelMatch::only_a:
      return "only in A";
    case KernelMatch::only_b:
      return "only in B";
  }
  return "";
}

Cell spread_cell(const DurationStatistics& s) {
  return s.count > 1 && s.median_s > 0 ? Cell(s.spread_s / s.median_s) : Cell();
}

Cell median_cell(const DurationStatistics& s) { return s.count > 0 ? Cell(s.median_s) : Cell(); }

Table kernels_table(const RunComparison& c) {
  Table table{"kernels", "By kernel", {}, {}};
  table.columns = {{"name", "name", CellFormat::text, "", "Short name"},
                   {"verdict", "verdict", CellFormat::text, "",
                    "Based on the typical time, or on the number of launches"}};
  append(table.columns, value_columns(c.unit));
  const std::string how = c.unit == "run" ? "Launches x median duration, run "
                                          : "Median over the steps that launch it, run ";
  append(table.columns, {{"typical_a_s", "typical A", CellFormat::quantity, "s", how + "A"},
                         {"typical_b_s", "typical B", CellFormat::quantity, "s", how + "B"},
                         kNoiseColumn});
  append(table.columns, launch_columns());
  append(table.columns,
         {{"median_a_s", "median A", CellFormat::quantity, "s", "Median launch duration"},
          {"median_b_s", "median B", CellFormat::quantity, "s", "Median launch duration"},
          {"spread_a", "spread A", CellFormat::fraction, "",
           "1.4826 x median absolute deviation (MAD) of launch durations / median"},
          {"spread_b", "spread B", CellFormat::fraction, "", "As spread A, run B"},
          kernel_head("class"),
          {"match", "matched by", CellFormat::text, "",
           "signature: name, grid, block and shared memory; name: short name and class"},
          {"signature_a", "signature A", CellFormat::text, "",
           "Kernel signature in run A with most time"},
          {"signature_b", "signature B", CellFormat::text, "",
           "Kernel signature in run B with most time"}});
  for (const KernelComparison& k : c.kernels) {
    std::vector<Cell> row = {k.short_name, std::string(to_string(k.verdict))};
    append_values(row, k.time_s);
    const auto typical = [](const DurationStatistics& launch, double time_s) {
      return launch.count > 0 ? Cell(time_s) : Cell();
    };
    row.insert(row.end(),
               {typical(k.launch_a, k.typical_s.a), typical(k.launch_b, k.typical_s.b),
                cell_of(k.typical_s.noise), Cell(k.launches.a), Cell(k.launches.b),
                median_cell(k.launch_a), median_cell(k.launch_b), spread_cell(k.launch_a),
                spread_cell(k.launch_b), Cell(k.operation_class.name()), Cell(match_text(k.match)),
                text_cell(k.signature_a), text_cell(k.signature_b)});
    table.add(std::move(row),
              k.row_b ? RowLink{.row = k.row_b} : RowLink{.operation_class = k.operation_class});
  }
  return table;
}

// "gemm -14.4 ms, quantize +3.85 ms"; empty: no class changes by a share of the time worth naming.
std::string largest_changes(const RunComparison& c) {
  constexpr std::size_t kMost = 3;
  constexpr double kWorthNaming = 0.01;
  const double whole_s = (c.period_s ? *c.period_s : c.kernel_s).a;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, c.classes.size()); ++i) {
    const double change_s = c.classes[i].time_s.difference();
    if (std::fabs(change_s) < kWorthNaming * whole_s || c.classes[i].time_s.within_noise()) break;
    text += (text.empty() ? "" : ", ") + c.classes[i].operation_class.name() +
            (change_s > 0 ? " +" : " -") + format_si(std::fabs(change_s), "s");
  }
  return text;
}

std::string summary(const RunComparison& c) {
  const std::string whole = c.unit == "run" ? "The run" : "A step";
  const ComparedValue& time = c.period_s ? *c.period_s : c.kernel_s;
  std::string text = (c.period_s ? whole + " takes " : "Kernels of the run take ") +
                     format_si(time.a, "s") + " in A and " + format_si(time.b, "s") + " in B";
  if (const auto relative = time.relative()) {
    text += " (" + change_text(*relative) + (time.within_noise() ? ", within noise" : "") + ")";
  }
  if (c.period_s && c.busy_s.a > 0) {
    text += "; GPU busy: " + format_si(c.busy_s.a, "s") + " in A and " +
            format_si(c.busy_s.b, "s") + " in B";
  }
  text += ".";
  if (const std::string changes = largest_changes(c); !changes.empty()) {
    text += " Largest changes by class: " + changes + ".";
  }
  std::size_t slower = 0;
  std::size_t faster = 0;
  std::size_t only_in_one = 0;
  for (const KernelComparison& k : c.kernels) {
    slower += k.verdict == Verdict::slower ? 1 : 0;
    faster += k.verdict == Verdict::faster ? 1 : 0;
    only_in_one += k.verdict == Verdict::added || k.verdict == Verdict::removed ? 1 : 0;
  }
  return text + " Of " + format_whole(c.kernels.size()) + " kernels, " + format_whole(slower) +
         " are slower and " + format_whole(faster) + " faster by more than the noise; " +
         format_whole(only_in_one) + " ran in only one of the runs.";
}

}  // namespace

Finding comparison_finding(const RunComparison& c) {
  Finding finding;
  finding.id = "run_comparison";
  finding.title = "B: " + c.title_b + " vs. A: " + c.title_a;
  finding.summary = summary(c);
  finding.tables = {totals_table(c), classes_table(c), kernels_table(c)};
  return finding;
}

std::string describe(const GateCheck& check) {
  const std::optional<double> change = check.value.relative();
  char limit[32];
  std::snprintf(limit, sizeof limit, "%.2f %%", 100 * check.limit);
  const std::string text =
      check.what + ": " +
      (change ? change_text(*change, 2) : format_si(check.value.b, "s") + " (none in run A)") +
      ", ";
  if (check.failed) return text + "exceeds the limit of " + limit;
  if (check.beyond) return text + "exceeds the limit of " + limit + ", but is within noise";
  return text + "within the limit of " + limit;
}

Finding gate_finding(const std::vector<GateCheck>& checks) {
  Finding finding;
  finding.id = "gate";
  finding.title = "Regression gate";
  Table table{"gate", "Regression gate", {}, {}};
  table.columns = {{"what", "check", CellFormat::text, "", "Checked time"},
                   {"limit", "limit", CellFormat::fraction, "", "Largest allowed increase"},
                   {"change", "change", CellFormat::fraction, "", "(B - A) / A", true},
                   {"difference_s", "B - A", CellFormat::quantity, "s", "Per step or run", true},
                   {"result", "result", CellFormat::text, "", "failed, within noise, or passed"}};
  std::size_t failed = 0;
  for (const GateCheck& check : checks) {
    failed += check.failed ? 1 : 0;
    table.rows.push_back({check.what, check.limit, cell_of(check.value.relative()),
                          check.value.difference(),
                          check.failed   ? "failed"
                          : check.beyond ? "within noise"
                                         : "passed"});
  }
  finding.summary = failed == 0 ? "Passed: no increase exceeds both its limit and the noise."
                                : "Failed: " + format_whole(failed) + " of " +
                                      format_whole(checks.size()) + " reported checks.";
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace mansard::analysis
