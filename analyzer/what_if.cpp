// SPDX-License-Identifier: Apache-2.0
#include "analyzer/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "analyzer/classify/name_pattern.h"
#include "analyzer/row_totals.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

// Whose time the run's span is: the device's where it worked at all. Host ranges beside it are not
// part of that time.
Target target_of(const RunAnalysis& run) {
  const bool on_device =
      std::ranges::any_of(run.rows, [](const KernelRow& r) { return r.target == Target::cuda; });
  return on_device ? Target::cuda : Target::host;
}

std::vector<std::size_t> rows_of(const RunAnalysis& run, const std::string& target) {
  const Target of = target_of(run);
  const auto select = [&](auto&& matches) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      if (run.rows[i].target == of && matches(run.rows[i])) rows.push_back(i);
    }
    return rows;
  };
  auto rows = select([&](const KernelRow& row) { return row.operation_class == target; });
  if (rows.empty()) rows = select([&](const KernelRow& row) { return row.short_name == target; });
  if (rows.empty()) {
    const NamePattern pattern(target);
    rows = select([&](const KernelRow& row) {
      return !pattern.empty() && pattern.matches(PatternSubject(row.name));
    });
  }
  if (!rows.empty()) return rows;
  std::set<std::string> classes;
  for (const KernelRow& row : run.rows) {
    if (row.target == of) classes.insert(row.operation_class);
  }
  std::string known;
  for (const std::string& name : classes) known += (known.empty() ? "" : ", ") + name;
  throw std::runtime_error("what if '" + target + "': no class is called so and no kernel's name " +
                           "holds these words; the classes of this run are " +
                           (known.empty() ? "none" : known));
}

bool is_unknown(const KernelRow& row, const WhatIf& change) {
  return change.change == WhatIf::Change::speed_of_light && !(row.limit.time_s > 0);
}

double changed_s(const KernelRow& row, const WhatIf& change) {
  switch (change.change) {
    case WhatIf::Change::speed_of_light:
      // A row that its launches bound is shorter than its speed of light already.
      return is_unknown(row, change) ? row.time_s : std::min(row.time_s, row.limit.time_s);
    case WhatIf::Change::factor:
      return row.time_s / change.factor;
    case WhatIf::Change::removed:
      return 0;
  }
  return row.time_s;
}

std::string change_text(const WhatIf& change) {
  if (change.change == WhatIf::Change::speed_of_light) return "speed of light";
  if (change.change == WhatIf::Change::removed) return "removed";
  char text[32];
  std::snprintf(text, sizeof text, "%gx as fast", change.factor);
  return text;
}

struct Part {
  std::int64_t rows = 0;
  std::int64_t launches = 0;
  double time_s = 0;
  double changed_s = 0;
  double unknown_s = 0;
};

Table parts_table(const std::vector<WhatIf>& changes, const std::vector<Part>& parts) {
  Table table{"what_if", "What if", {}, {}};
  table.columns = {
      {"target", "kernels", CellFormat::text, "", "Class, or name or part of it"},
      {"change", "ran at", CellFormat::text, "", "What is assumed"},
      {"time_s", "time", CellFormat::quantity, "s", "As recorded"},
      {"changed_s", "would take", CellFormat::quantity, "s", "As assumed"},
      {"saved_s", "saved", CellFormat::quantity, "s", "The difference"},
      {"unknown_s", "not known", CellFormat::quantity, "s",
       "Time of those whose speed of light is not known; it stays as it is"},
      {"rows", "rows", CellFormat::count, "", "Rows of the kernel table"},
      {"launches", "launches", CellFormat::count, "", "Kernels or annotated host ranges"}};
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
  std::vector<Part> parts(changes.size());
  const Target of = target_of(run);
  Part all;
  double total_s = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.target != of) continue;
    total_s += row.time_s;
    if (change_of[i] < 0) continue;
    const WhatIf& change = changes[static_cast<std::size_t>(change_of[i])];
    for (Part* part : {&parts[static_cast<std::size_t>(change_of[i])], &all}) {
      ++part->rows;
      part->launches += row.launches;
      part->time_s += row.time_s;
      part->changed_s += changed_s(row, change);
      part->unknown_s += is_unknown(row, change) ? row.time_s : 0;
    }
  }
  const double saved_s = all.time_s - all.changed_s;
  const double after_s = std::max(0.0, run.span_s - saved_s);
  const double without_s = std::max(0.0, run.span_s - all.time_s);

  Finding finding;
  finding.id = "what_if";
  finding.title = "What if";
  finding.summary = "The run would take " + format_si(after_s, "s") + " instead of " +
                    format_si(run.span_s, "s") + ", if every " +
                    (saved_s < 0 ? "second lost in these kernels lengthened"
                                 : "second saved in these kernels shortened") +
                    " it: what runs beside them would then be the longer part.";
  if (total_s > run.busy_s * 1.001) {
    finding.summary += " Kernels overlap in this run (" + format_si(total_s, "s") + " of them in " +
                       format_si(run.busy_s, "s") + "), so the change is smaller than that.";
  }
  if (all.unknown_s > 0) {
    finding.summary += " Of " + format_si(all.unknown_s, "s") +
                       " no speed of light is known, and they stay as they are.";
  }
  Table table{"what_if_run", "The run", {}, {}};
  table.columns = {
      {"case", "case", CellFormat::text, "", "What is assumed"},
      {"span_s", "span", CellFormat::quantity, "s", "Serial estimate: span less what is saved"},
      {"speedup", "speed-up", CellFormat::ratio, "", "Span as recorded over this one"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"case"}, .value_keys = {"span_s"}};
  table.rows = {
      {"as recorded", run.span_s, quotient(run.span_s, run.span_s)},
      {"as asked", after_s, quotient(run.span_s, after_s)},
      {"without these kernels (Amdahl's limit)", without_s, quotient(run.span_s, without_s)}};
  finding.tables = {std::move(table), parts_table(changes, parts)};
  return finding;
}

}  // namespace mansard
