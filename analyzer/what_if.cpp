// SPDX-License-Identifier: Apache-2.0
#include "analyzer/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "analyzer/classify/name_pattern.h"
#include "analyzer/power_model.h"
#include "analyzer/row_totals.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// The target whose time is the run's time: the device if it ran anything. Host ranges are then not
// part of it.
kernels::Target target_of(const RunAnalysis& run) {
  const bool on_device = std::ranges::any_of(
      run.rows, [](const KernelRow& r) { return r.target == kernels::Target::cuda; });
  return on_device ? kernels::Target::cuda : kernels::Target::host;
}

std::vector<std::size_t> rows_of(const RunAnalysis& run, const std::string& target) {
  const kernels::Target of = target_of(run);
  const auto select = [&](auto&& matches) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      if (run.rows[i].target == of && matches(run.rows[i])) rows.push_back(i);
    }
    return rows;
  };
  const OperationClass target_class = target;
  auto rows = select([&](const KernelRow& row) { return row.operation_class == target_class; });
  if (rows.empty()) rows = select([&](const KernelRow& row) { return row.short_name == target; });
  if (rows.empty()) {  // generic kernels, whatever their operation
    rows = select([&](const KernelRow& row) {
      return row.short_name.substr(0, row.short_name.find('<')) == target;
    });
  }
  if (rows.empty()) {
    const NamePattern pattern(target);
    rows = select([&](const KernelRow& row) {
      return !pattern.empty() && pattern.matches(PatternSubject(row.name));
    });
  }
  if (!rows.empty()) return rows;
  std::set<OperationClass> classes;
  for (const KernelRow& row : run.rows) {
    if (row.target == of) classes.insert(row.operation_class);
  }
  std::string known;
  for (const OperationClass c : classes) known += (known.empty() ? "" : ", ") + c.name();
  throw std::runtime_error(
      "what if '" + target + "': no operation class has this name and no " +
      "kernel name matches it; classes of this run: " + (known.empty() ? "none" : known));
}

bool is_unknown(const KernelRow& row, const WhatIf& change) {
  return change.change == WhatIf::Change::speed_of_light && !(row.sol.time_s > 0);
}

RowChange changed(const KernelRow& row, const WhatIf& change) {
  switch (change.change) {
    case WhatIf::Change::speed_of_light:
      // A launch-bound row may already be shorter than its SOL time.
      if (is_unknown(row, change) || !(row.time_s > 0)) return {};
      return {std::min(1.0, row.sol.time_s / row.time_s), 1};
    case WhatIf::Change::factor:
      return {1 / change.factor, 1};
    case WhatIf::Change::removed:
      return {0, 0};
  }
  return {};
}

std::string change_text(const WhatIf& change) {
  if (change.change == WhatIf::Change::speed_of_light) return "at speed of light";
  if (change.change == WhatIf::Change::removed) return "removed";
  char text[32];
  std::snprintf(text, sizeof text, "%gx as fast", change.factor);
  return text;
}

// Per unit.
struct Part {
  std::int64_t rows = 0;
  double launches = 0;
  double time_s = 0;
  double changed_s = 0;
  double unknown_s = 0;
};

Table parts_table(const std::vector<WhatIf>& changes, const std::vector<Part>& parts,
                  const std::string& unit) {
  Table table{"what_if", "What if", {}, {}};
  table.columns = {
      {"target", "kernels", CellFormat::text, "", "Operation class, kernel name or name pattern"},
      {"change", "change", CellFormat::text, "", "Assumed change"},
      {"time_s", "measured", CellFormat::quantity, "s", "Time per " + unit},
      {"changed_s", "with change", CellFormat::quantity, "s",
       "Time per " + unit + " with the change"},
      {"saved_s", "saving", CellFormat::quantity, "s",
       "Measured time - time with the change, at the present clock"},
      {"unknown_s", "unknown", CellFormat::quantity, "s",
       "Time of kernels with unknown SOL time; it does not change"},
      {"rows", "rows", CellFormat::count, "", "Rows of the kernel table"},
      {"launches", "launches", CellFormat::count, "", "Per " + unit}};
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"target", "change"},
                      .value_keys = {"changed_s"},
                      .reference_key = "time_s"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& p = parts[i];
    table.rows.push_back({changes[i].target, change_text(changes[i]), p.time_s, p.changed_s,
                          p.time_s - p.changed_s, positive(p.unknown_s), p.rows, p.launches});
  }
  return table;
}

}  // namespace

WhatIf parse_what_if(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto fail = [&] {
    throw std::invalid_argument("--what-if takes CLASS=sol, KERNEL=2x or KERNEL=0, not '" + text +
                                "'");
  };
  if (equals == std::string::npos || equals == 0) fail();
  WhatIf out;
  out.target = text.substr(0, equals);
  const std::string change = text.substr(equals + 1);
  if (change == "sol") return out;
  if (change == "0") {
    out.change = WhatIf::Change::removed;
    return out;
  }
  out.change = WhatIf::Change::factor;
  std::size_t used = 0;
  try {
    out.factor = std::stod(change, &used);
  } catch (const std::exception&) {
    fail();
  }
  if (change.substr(used) != "x" || !(out.factor > 0) || !std::isfinite(out.factor)) fail();
  return out;
}

Finding what_if_finding(const RunAnalysis& run, const std::vector<WhatIf>& changes) {
  std::vector<int> change_of(run.rows.size(), -1);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (const std::size_t row : rows_of(run, changes[i].target)) {
      change_of[row] = static_cast<int>(i);
    }
  }
  const RunUnit unit(run);
  const std::string name(unit.name());
  std::vector<Part> parts(changes.size());
  std::vector<RowChange> row_changes(run.rows.size());
  Part all;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (change_of[i] < 0) continue;
    const KernelRow& row = run.rows[i];
    const WhatIf& change = changes[static_cast<std::size_t>(change_of[i])];
    row_changes[i] = changed(row, change);
    const double time_s = unit.time_s(i);
    for (Part* part : {&parts[static_cast<std::size_t>(change_of[i])], &all}) {
      ++part->rows;
      part->launches += unit.launches(i);
      part->time_s += time_s;
      part->changed_s += time_s * row_changes[i].time;
      part->unknown_s += is_unknown(row, change) ? time_s : 0;
    }
  }
  Finding finding;
  finding.id = "what_if";
  finding.title = "What if";
  if (!(unit.time_s() > 0)) {
    finding.summary =
        "Counters were read throughout the profile, so the undisturbed run time is not available "
        "and cannot be predicted. These kernels would take " +
        format_si(all.changed_s, "s") + " instead of " + format_si(all.time_s, "s") + ".";
    finding.tables = {parts_table(changes, parts, name)};
    return finding;
  }
  const PowerModel power(run, unit);
  const PredictedStep after = power.predict(row_changes);
  const double at_clock_s = std::max(0.0, unit.time_s() - (all.time_s - all.changed_s));
  const double without_s = std::max(0.0, unit.time_s() - all.time_s);
  const std::string whole = name == "step" ? "A typical step" : "The run";
  finding.summary = whole + " would take " + format_si(after.time_s, "s") + " (" +
                    format_si(after.low_s, "s") + " to " + format_si(after.high_s, "s") +
                    ") instead of " + format_si(unit.time_s(), "s") + ".";
  if (after.clock_hz) {
    finding.summary += " The GPU runs at its power limit: the SM clock would go from " +
                       format_si(power.clock_hz(), "Hz") + " to " +
                       format_si(*after.clock_hz, "Hz") +
                       ", so compute-bound kernels would change by " +
                       format_si(after.time_s - at_clock_s, "s") + " per " + name + ".";
  } else {
    finding.summary += " The SM clock is assumed constant: " + power.why() + ".";
  }
  finding.summary +=
      " Assumption: no other work is hidden behind these kernels, and the time of the rest does "
      "not "
      "change.";
  if (all.unknown_s > 0) {
    finding.summary += " The SOL time is unknown for " + format_si(all.unknown_s, "s") +
                       " of these kernels, which do not change.";
  }
  Table table{"what_if_run", name == "step" ? "The step" : "The run", {}, {}};
  table.columns = {{"case", "case", CellFormat::text, "", "Assumed case"},
                   {"time_s", "time", CellFormat::quantity, "s", "Per " + name},
                   {"low_s", "from", CellFormat::quantity, "s", "Lower bound of the prediction"},
                   {"high_s", "to", CellFormat::quantity, "s", "Upper bound of the prediction"},
                   {"speedup", "speed-up", CellFormat::ratio, "", "Measured time / time"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"case"}, .value_keys = {"time_s"}};
  table.rows = {{"measured", unit.time_s(), Cell(), Cell(), 1.0},
                {"with the changes", after.time_s, after.low_s, after.high_s,
                 quotient(unit.time_s(), after.time_s)},
                {"with the changes, at the present clock", at_clock_s, Cell(), Cell(),
                 quotient(unit.time_s(), at_clock_s)},
                {"without these kernels, at the present clock (Amdahl's limit)", without_s, Cell(),
                 Cell(), quotient(unit.time_s(), without_s)}};
  finding.tables = {std::move(table), parts_table(changes, parts, name)};
  return finding;
}

}  // namespace mansard::analysis
