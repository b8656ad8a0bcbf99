// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/explain/ledger.h"
#include "analyzer/row_totals.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", ratio);
  return text;
}

// "83 %"; with a decimal where that would say all or nothing of what is neither.
std::string whole_percent(double fraction) {
  if (fraction != 1 && (fraction < 0.005 || fraction >= 0.995)) return format_percent(fraction);
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}

// Profiles count whole nanoseconds: less than half of one is rounding of the sums.
std::string left_over(double residual_s) {
  constexpr double kRounding_s = 0.5e-9;
  return "Residual: " + format_si(std::fabs(residual_s) < kRounding_s ? 0 : residual_s, "s");
}

Table lines_table(const Ledger& ledger, bool single_run) {
  Table table;
  table.id = "ledger";
  table.title =
      single_run ? "From speed-of-light time to measured step" : "From ideal to measured step";
  table.columns = {
      {"id", "line", CellFormat::text, "", "As in the table of kernels"},
      {"cause", "cause", CellFormat::text, "", "Where the time goes"},
      {"time_s", "adds", CellFormat::quantity, "s", "Per step; negative where time is gained"},
      {"share", "share of gap", CellFormat::fraction, "", "adds / (measured - ideal)"},
      {"after_s", "step so far", CellFormat::quantity, "s", "Ideal + all lines down to this one"},
      {"speed_up", single_run ? "measured / step so far" : "speed-up so far", CellFormat::ratio, "",
       single_run ? "Measured step / step so far" : "Baseline / step so far"},
      {"lost", single_run ? "change" : "speed-up lost", CellFormat::ratio, "",
       "Difference of the column before from line to line"},
      {"meaning", "meaning", CellFormat::text, "", "What is counted here"},
  };
  table.chart = Chart{.kind = ChartKind::waterfall,
                      .label_keys = {"cause"},
                      .value_keys = {"time_s"},
                      .total_key = "after_s"};
  double now_s = ledger.ideal_s;
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  const auto speed_up = [&](double step_s) { return quotient(ledger.baseline_s, step_s); };
  const std::string ideal =
      single_run ? "speed-of-light time" : "ideal (baseline / " + times(ledger.ceiling_ratio) + ")";
  // Without a kernel whose SOL time is known there is none to show.
  const Cell start = single_run ? positive(now_s) : Cell(now_s);
  table.rows.push_back({std::string("ideal"), ideal, Cell(), Cell(), start, speed_up(now_s), Cell(),
                        ledger.ratio_source});
  for (const LedgerLine& line : ledger.lines) {
    const double before_s = now_s;
    now_s += line.time_s;
    const bool both = before_s > 0 && now_s > 0;
    table.add({line.id, line.label, line.time_s, gap_s != 0 ? Cell(line.time_s / gap_s) : Cell(),
               now_s, speed_up(now_s),
               both ? Cell(ledger.baseline_s / before_s - ledger.baseline_s / now_s) : Cell(),
               line.meaning},
              {.operation_class = line.operation_class});
  }
  table.rows.push_back({std::string("measured"), std::string("measured step"), Cell(), Cell(),
                        ledger.measured_s, speed_up(ledger.measured_s), Cell(),
                        left_over(ledger.residual_s())});
  return table;
}

Cell optional_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

Table details_table(const Ledger& ledger, bool single_run, std::size_t details) {
  Table table;
  table.id = "ledger_kernels";
  table.title = "Kernels and causes of each line";
  table.columns = {
      {"id", "line", CellFormat::text, "", "Of the ledger"},
      {"name", "kernel", CellFormat::text, "",
       "Short name and grid; or a class of kernels, or an idle cause"},
  };
  if (single_run) {
    table.columns.push_back({"ideal_s", "SOL time", CellFormat::quantity, "s",
                             "Speed-of-light time per step; - where not known"});
    table.columns.push_back(
        {"candidate_s", "measured", CellFormat::quantity, "s", "Measured time per step"});
  } else {
    table.columns.push_back({"baseline_s", "baseline", CellFormat::quantity, "s",
                             "Measured time per step; - where the baseline has none of it"});
    table.columns.push_back({"ideal_s", "ideal", CellFormat::quantity, "s", "Baseline / ratio"});
    table.columns.push_back({"candidate_s", "candidate", CellFormat::quantity, "s",
                             "Measured time per step; - where the candidate has none of it"});
  }
  table.columns.push_back({"adds_s", "adds", CellFormat::quantity, "s",
                           "Its part of the line; negative where time is gained"});
  for (const LedgerLine& line : ledger.lines) {
    const std::size_t shown = std::min(details, line.details.size());
    double rest_s = line.time_s;
    for (std::size_t i = 0; i < shown; ++i) {
      const LedgerDetail& d = line.details[i];
      rest_s -= d.adds_s;
      std::vector<Cell> row = {line.id, d.label};
      if (!single_run) row.push_back(optional_cell(d.baseline_s));
      row.push_back(optional_cell(d.ideal_s));
      row.push_back(optional_cell(d.candidate_s));
      row.emplace_back(d.adds_s);
      table.add(std::move(row),
                d.row ? RowLink{.row = d.row} : RowLink{.operation_class = line.operation_class});
    }
    if (shown < line.details.size()) {
      std::vector<Cell> row(table.columns.size());
      row[0] = line.id;
      row[1] = std::to_string(line.details.size() - shown) + " more";
      row.back() = rest_s;
      table.add(std::move(row),
                {.operation_class = line.operation_class, .entries = line.details.size() - shown});
    }
  }
  return table;
}

Table notes_table(const Ledger& ledger) {
  Table table{"ledger_notes", "Notes", {{"note", "note", CellFormat::text, "", ""}}, {}};
  for (const std::string& note : ledger.notes) table.rows.push_back({note});
  return table;
}

// The lines that add most.
std::string worst_lines(const Ledger& ledger) {
  std::vector<const LedgerLine*> worst;
  for (const LedgerLine& line : ledger.lines) {
    if (line.time_s > 0) worst.push_back(&line);
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const LedgerLine* a, const LedgerLine* b) { return a->time_s > b->time_s; });
  if (worst.size() > 3) worst.resize(3);
  std::string text;
  for (const LedgerLine* line : worst) {
    text += (text.empty() ? "" : "; ") + line->label + " " + format_si(line->time_s, "s");
  }
  return text.empty() ? text : " Largest lines: " + text + ".";
}

std::string run_summary(const Ledger& ledger) {
  if (!(ledger.ideal_s > 0)) return no_sol_text(ledger);
  return "A typical step takes " + format_si(ledger.measured_s, "s") + ". SOL time is known for " +
         whole_percent(ledger.sol_kernel_s / ledger.kernel_s) +
         " of the kernel time: " + format_si(ledger.ideal_s, "s") + " of SOL time for " +
         format_si(ledger.sol_kernel_s, "s") +
         " measured. (Speed-of-light (SOL) time: the least time in which the machine can do a "
         "kernel's FLOPs and move its bytes.)";
}

std::string gap_summary(const Ledger& ledger) {
  const double speed_up = ledger.baseline_s / ledger.measured_s;
  std::string text = "The candidate takes " + format_si(ledger.measured_s, "s") +
                     " per step, the baseline " + format_si(ledger.baseline_s, "s") + ": ";
  text +=
      speed_up < 1 ? whole_percent(1 / speed_up - 1) + " slower." : times(speed_up) + " as fast.";
  text += " The ideal is " + format_si(ledger.ideal_s, "s") + ", the baseline / " +
          times(ledger.ceiling_ratio) + " (" + ledger.ratio_source + "); the candidate is ";
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  return text + format_si(std::fabs(gap_s), "s") + (gap_s >= 0 ? " above it." : " below it.");
}

}  // namespace

std::string no_sol_text(const Ledger& ledger) {
  return "A typical step takes " + format_si(ledger.measured_s, "s") + "; " +
         (ledger.work_known ? "there are no ceilings for the kernels' FLOPs and bytes"
                            : "no kernel's FLOPs or bytes are known") +
         ", so there is no speed-of-light time to compare with." +
         (ledger.advice.empty() ? "" : " " + ledger.advice);
}

Finding ledger_finding(const Ledger& ledger, const std::string& title, bool single_run,
                       std::size_t details) {
  Finding finding;
  finding.id = single_run ? "step_ledger" : "gap_ledger";
  finding.title = title;
  finding.summary = single_run ? run_summary(ledger) : gap_summary(ledger);
  finding.summary += worst_lines(ledger);
  finding.tables = {lines_table(ledger, single_run), details_table(ledger, single_run, details),
                    notes_table(ledger)};
  return finding;
}

Table kernels_of_line(const Table& kernels, const Cell& line_id, std::string title) {
  Table table{kernels.id + "_of_line",
              std::move(title),
              {kernels.columns.begin() + 1, kernels.columns.end()},
              {}};
  for (std::size_t i = 0; i < kernels.rows.size(); ++i) {
    const std::vector<Cell>& row = kernels.rows[i];
    if (row.front() == line_id) table.add({row.begin() + 1, row.end()}, kernels.link(i));
  }
  return table;
}

}  // namespace mansard::analysis
