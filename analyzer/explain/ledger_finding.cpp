// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/explain/ledger.h"
#include "analyzer/row_totals.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", ratio);
  return text;
}

// Recordings count whole nanoseconds: less than half of one is rounding of the sums.
std::string left_over(double residual_s) {
  constexpr double kRounding_s = 0.5e-9;
  return "What is left over: " +
         format_si(std::fabs(residual_s) < kRounding_s ? 0 : residual_s, "s");
}

Table lines_table(const Ledger& ledger, bool single_run) {
  Table table;
  table.id = "ledger";
  table.title = single_run ? "From the speed of light to the step" : "From the ideal to the step";
  table.columns = {
      {"id", "line", CellFormat::text, "", "As in the table of kernels"},
      {"cause", "cause", CellFormat::text, "", "What costs this time"},
      {"time_s", "adds", CellFormat::quantity, "s", "To a step; negative where time was gained"},
      {"share", "of the gap", CellFormat::fraction, "", "Of measured less ideal"},
      {"after_s", "step so far", CellFormat::quantity, "s", "Ideal and all lines down to this one"},
      {"speed_up", single_run ? "of measured" : "speed-up so far", CellFormat::ratio, "",
       single_run ? "Measured step over the step so far" : "Baseline over the step so far"},
      {"lost", "lost", CellFormat::ratio, "", "Of that, by this line"},
      {"meaning", "meaning", CellFormat::text, "", "What is counted here"},
  };
  table.chart = Chart{.kind = ChartKind::waterfall,
                      .label_keys = {"cause"},
                      .value_keys = {"time_s"},
                      .total_key = "after_s"};
  double now_s = ledger.ideal_s;
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  const auto speed_up = [&](double step_s) { return quotient(ledger.baseline_s, step_s); };
  table.rows.push_back({std::string("ideal"),
                        std::string(single_run ? "speed of light" : "baseline over the ratio"),
                        Cell(), Cell(), now_s, speed_up(now_s), Cell(), ledger.ratio_source});
  for (const LedgerLine& line : ledger.lines) {
    const double before_s = now_s;
    now_s += line.time_s;
    const bool both = before_s > 0 && now_s > 0;
    table.rows.push_back(
        {line.id, line.label, line.time_s, gap_s != 0 ? Cell(line.time_s / gap_s) : Cell(), now_s,
         speed_up(now_s),
         both ? Cell(ledger.baseline_s / before_s - ledger.baseline_s / now_s) : Cell(),
         line.meaning});
  }
  table.rows.push_back({std::string("measured"), std::string("measured step"), Cell(), Cell(),
                        ledger.measured_s, speed_up(ledger.measured_s), Cell(),
                        left_over(ledger.residual_s())});
  return table;
}

Table details_table(const Ledger& ledger, bool single_run, std::size_t details) {
  Table table;
  table.id = "ledger_kernels";
  table.title = "Behind the lines";
  table.columns = {
      {"id", "line", CellFormat::text, "", "Of the ledger"},
      {"name", "kernel", CellFormat::text, "", "Short name and grid, or what else it is"},
      {"baseline_s", single_run ? "speed of light" : "baseline", CellFormat::quantity, "s",
       "A step"},
      {"candidate_s", single_run ? "measured" : "candidate", CellFormat::quantity, "s", "A step"},
      {"difference_s", "adds", CellFormat::quantity, "s", "Its part of the line"},
  };
  for (const LedgerLine& line : ledger.lines) {
    const std::size_t shown = std::min(details, line.details.size());
    double rest_s = line.time_s;
    for (std::size_t i = 0; i < shown; ++i) {
      const LedgerDetail& d = line.details[i];
      rest_s -= d.difference_s;
      table.rows.push_back({line.id, d.label, d.baseline_s, d.candidate_s, d.difference_s});
    }
    if (shown < line.details.size()) {
      table.rows.push_back(
          {line.id, std::to_string(line.details.size() - shown) + " more", Cell(), Cell(), rest_s});
    }
  }
  return table;
}

Table notes_table(const Ledger& ledger) {
  Table table{"ledger_notes", "To know", {{"note", "note", CellFormat::text, "", "In words"}}, {}};
  for (const std::string& note : ledger.notes) table.rows.push_back({note});
  return table;
}

// The lines that cost most, in words.
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
  return text.empty() ? text : " Most of it: " + text + ".";
}

}  // namespace

Finding ledger_finding(const Ledger& ledger, const std::string& title, bool single_run,
                       std::size_t details) {
  Finding finding;
  finding.id = single_run ? "step_ledger" : "gap_ledger";
  finding.title = title;
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  if (single_run) {
    finding.summary = "A typical step takes " + format_si(ledger.measured_s, "s") +
                      "; the work in it that is known could take " +
                      format_si(ledger.ideal_s, "s") + ".";
  } else {
    finding.summary = "A step takes " + format_si(ledger.measured_s, "s") + " after " +
                      format_si(ledger.baseline_s, "s") + ": " +
                      times(ledger.baseline_s / ledger.measured_s) + ", where the ceilings offer " +
                      times(ledger.ceiling_ratio) + " (" + ledger.ratio_source + "). ";
    finding.summary +=
        gap_s >= 0 ? "The ideal step of " + format_si(ledger.ideal_s, "s") + " is missed by "
                   : "It is shorter than the ideal of " + format_si(ledger.ideal_s, "s") + " by ";
    finding.summary += format_si(std::fabs(gap_s), "s") + ".";
  }
  finding.summary += worst_lines(ledger);
  finding.tables = {lines_table(ledger, single_run), details_table(ledger, single_run, details),
                    notes_table(ledger)};
  return finding;
}

}  // namespace mansard
