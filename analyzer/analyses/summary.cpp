// SPDX-License-Identifier: Apache-2.0
// The run in a few sentences. What its reader must know besides is in RunAnalysis::notes.
#include <algorithm>

#include "analyzer/activity.h"
#include "analyzer/row_totals.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr std::size_t kTopClasses = 3;

std::string top_classes(const RunAnalysis& run) {
  std::vector<std::pair<std::string, double>> shares;
  for (const KernelRow& row : run.rows) {
    const auto known = std::find_if(shares.begin(), shares.end(), [&](const auto& entry) {
      return entry.first == row.operation_class;
    });
    if (known == shares.end()) {
      shares.emplace_back(row.operation_class, row.share);
    } else {
      known->second += row.share;
    }
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kTopClasses, shares.size()); ++i) {
    text += (text.empty() ? "" : ", ") + shares[i].first + " " + format_percent(shares[i].second);
  }
  return text;
}

std::string describe(const RunAnalysis& run, const RowTotals& all, bool on_device) {
  if (run.rows.empty() && run.span_s <= 0) return "Nothing ran that the profile recorded.";
  std::string text = on_device ? "The device was busy for " : "Annotated host work ran for ";
  text += format_si(run.busy_s, "s") + " of " + format_si(run.span_s, "s");
  if (run.span_s > 0) text += " (" + format_percent(run.busy_s / run.span_s) + ")";
  text += ".";
  if (run.rows.empty()) return text;
  text += " Most time went to " + top_classes(run) + ".";
  if (all.limit_s > 0) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", all.cost_s / all.limit_s);
    text += " The work that is known (" + format_percent(all.limited_s / all.time_s) +
            " of the time) took " + ratio + " times its speed of light on " +
            (run.machine ? run.machine->device.name : "this machine") + ".";
  } else {
    text += " No speed of light is known for any of it.";
  }
  return text;
}

Table run_table(const RunAnalysis& run, const RowTotals& all) {
  Table table;
  table.id = "run";
  table.title = "Run";
  table.columns = {
      {"span_s", "span", CellFormat::quantity, "s", "From the first activity to the last"},
      {"busy_s", "busy", CellFormat::quantity, "s", "Time in which anything ran"},
      {"busy_fraction", "busy share", CellFormat::fraction, "", "Busy time over span"},
      {"launches", "launches", CellFormat::count, "", "Kernels or annotated host ranges"},
      {"rows_s", "row time", CellFormat::quantity, "s",
       "Sum over rows; what overlaps counts twice"},
      {"known_fraction", "known", CellFormat::fraction, "",
       "Share of the rows' time with known FLOPs or bytes"},
      {"speed_of_light_s", "speed of light", CellFormat::quantity, "s",
       "Least time of the work that is known"},
      {"inefficiency", "distance", CellFormat::ratio, "",
       "Time of the work that is known over its speed of light"},
      {"machine", "machine", CellFormat::text, "", "Device whose ceilings are used"},
      {"ceilings", "ceilings", CellFormat::text, "", "Measured, or published figures"},
  };
  Cell machine;
  Cell origin;
  if (run.machine) {
    machine = run.machine->device.name;
    origin = std::string(to_string(run.machine_provenance.origin));
  }
  table.rows.push_back({run.span_s, run.busy_s, quotient(run.busy_s, run.span_s), all.launches,
                        all.time_s, quotient(all.known_s, all.time_s), positive(all.limit_s),
                        quotient(all.cost_s, all.limit_s), machine, origin});
  return table;
}

// Time by what bounds it: where a faster machine would help.
Table bounds_table(const RunAnalysis& run) {
  std::vector<std::pair<std::string, RowTotals>> bounds;
  for (const KernelRow& row : run.rows) {
    const std::string label = row.limit.time_s > 0 ? row.limit.bound_label : "not known";
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
  table.columns = {
      {"bound", "bound by", CellFormat::text, "", "The ceiling that sets the speed of light"},
      {"time_s", "time", CellFormat::quantity, "s", "Sum over rows"},
      {"share", "share", CellFormat::fraction, "", "Of the time of all rows"},
      {"speed_of_light_s", "speed of light", CellFormat::quantity, "s", "Least time"},
      {"inefficiency", "distance", CellFormat::ratio, "", "Time over speed of light"},
  };
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"bound"},
                      .value_keys = {"time_s"},
                      .reference_key = "speed_of_light_s"};
  for (const auto& [label, total] : bounds) {
    table.rows.push_back({label, total.time_s, total.share, positive(total.limit_s),
                          quotient(total.cost_s, total.limit_s)});
  }
  return table;
}

Finding summarize(const RunAnalysis& run) {
  RowTotals all;
  for (const KernelRow& row : run.rows) all.add(row);
  Finding finding;
  finding.id = "summary";
  finding.title = run.title.empty() ? "Summary" : "Summary of " + run.title;
  finding.summary = describe(run, all, has_device_activity(run.profile));
  finding.tables = {run_table(run, all), bounds_table(run)};
  return finding;
}

}  // namespace

void register_summary(AnalysisRegistry& registry) {
  registry.add({.name = "summary",
                .summary = "How long, how busy, and how far from the speed of light",
                .order = 10,
                .run = summarize});
}

}  // namespace mansard
