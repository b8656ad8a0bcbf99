// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/explain/ledger.h"
#include "analyzer/row_totals.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// "83 %"; with one decimal where rounding would give 0 % or 100 %.
std::string whole_percent(double fraction) {
  if (fraction != 1 && (fraction < 0.005 || fraction >= 0.995)) return format_percent(fraction);
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}

// Profiles have nanosecond resolution: less than half a nanosecond is rounding.
std::string left_over(double residual_s) {
  constexpr double kRounding_s = 0.5e-9;
  return "Residual: " + format_si(std::fabs(residual_s) < kRounding_s ? 0 : residual_s, "s");
}

ColumnsOf<LedgerRow> measured_columns(bool single_run) {
  using enum CellFormat;
  ColumnsOf<LedgerRow> columns = {
      {{"id", "line", text, "", "ID of the line, also used in the table of kernels"},
       [](const LedgerRow& row) { return row.id; }},
      {{"cause", "cause", text, "", "Where the time goes"},
       [](const LedgerRow& row) { return row.label; }},
      {{"time_s", "adds", quantity, "s", "Time added to the step; negative: time saved", true},
       [](const LedgerRow& row) { return row.line ? Cell(row.adds_s) : Cell(); }},
      {{"share", "share of gap", fraction, "", "adds / (measured - ideal)"},
       [](const LedgerRow& row) { return cell_of(row.share); }},
      {{"after_s", "step so far", quantity, "s",
        single_run ? "SOL time + all lines down to this one"
                   : "Ideal + all lines down to this one"},
       [](const LedgerRow& row) { return cell_of(row.after_s); }},
      {{"speed_up", single_run ? "measured / step so far" : "speed-up so far", ratio, "",
        single_run ? "Measured step / step so far" : "Baseline / step so far"},
       [](const LedgerRow& row) { return cell_of(row.speed_up); }},
      {{"lost", single_run ? "change" : "speed-up lost", ratio, "",
        "Previous row - this row of the column to the left"},
       [](const LedgerRow& row) { return cell_of(row.lost); }},
      {{"meaning", "meaning", text, "", "Definition of the line"},
       [](const LedgerRow& row) { return row.meaning; }},
  };
  if (!single_run) {
    columns.insert(
        columns.end() - 1,
        {{"saving_s", "saving if removed", quantity, "s",
          "Step time saved without what the line adds: adds, less its share of the clock change "
          "('power'); -: cannot be removed on its own"},
         [](const LedgerRow& row) { return row.line ? cell_of(row.line->saving_s) : Cell(); }});
  }
  return columns;
}

// For two predicted steps: the rows are savings and add up to the total saving.
ColumnsOf<LedgerRow> predicted_columns(const Ledger& ledger) {
  using enum CellFormat;
  // Lines: time of the part. First and last row: the step time.
  const auto before_s = [&ledger](const LedgerRow& row) {
    return row.line ? cell_of(row.line->details.front().baseline_s) : Cell(ledger.baseline_s);
  };
  const auto after_s = [](const LedgerRow& row) {
    return cell_of(row.line ? row.line->details.front().candidate_s : row.after_s);
  };
  return {
      {{"cause", "cause", text, "",
        "Part of the step that saves or loses time compared with the ideal."},
       [](const LedgerRow& row) { return row.label; }},
      {{"saved_s", "predicted saving", quantity, "s",
        "Time saved (+) or lost (-) compared with the ideal; the total is the difference of the "
        "steps.",
        true},
       [](const LedgerRow& row) { return 0.0 - row.adds_s; }},
      {{"before_s", "predicted in " + ledger.baseline_name, quantity, "s",
        "Modeled time of this part with the first recipe."},
       before_s},
      {{"after_s", "predicted in " + ledger.candidate_name, quantity, "s",
        "Modeled time of this part with the second recipe."},
       after_s},
  };
}

std::string ideal_label(const Ledger& ledger) {
  switch (ledger.kind) {
    case LedgerKind::step:
      return "kernel SOL time";
    case LedgerKind::gap:
      return "ideal (baseline / " + format_ratio(ledger.ceiling_ratio) + ")";
    case LedgerKind::prediction:
      return "ideal (" + ledger.baseline_name + " / " + format_ratio(ledger.ceiling_ratio) + ")";
  }
  return "";
}

ColumnsOf<LedgerDetail> detail_columns(LedgerKind kind) {
  using enum CellFormat;
  const bool single_run = kind == LedgerKind::step;
  ColumnsOf<LedgerDetail> columns = {
      {{"name", "kernel", text, "", "Kernel short name and grid, kernel class, or idle cause"},
       [](const LedgerDetail& detail) { return detail.label; }},
  };
  if (!single_run) {
    columns.push_back({{"baseline_s", "baseline", quantity, "s",
                        "Measured time per step; -: not in the baseline"},
                       [](const LedgerDetail& detail) { return cell_of(detail.baseline_s); }});
  }
  columns.push_back(
      {single_run ? Column{"ideal_s", "SOL time", quantity, "s",
                           "Speed-of-light time T_sol per step; -: not available"}
                  : Column{"ideal_s", "ideal", quantity, "s", "Baseline / R, R: ratio of ceilings"},
       [](const LedgerDetail& detail) { return cell_of(detail.ideal_s); }});
  columns.push_back(
      {single_run ? Column{"candidate_s", "measured", quantity, "s", "Measured time per step"}
                  : Column{"candidate_s", "candidate", quantity, "s",
                           "Measured time per step; -: not in the candidate"},
       [](const LedgerDetail& detail) { return cell_of(detail.candidate_s); }});
  columns.push_back(
      {{"adds_s", "adds", quantity, "s", "Time added to the line; negative: time saved", true},
       [](const LedgerDetail& detail) { return detail.adds_s; }});
  return columns;
}

// Returns the `most` largest details, and one for all others.
std::vector<LedgerDetail> shown_details(const LedgerLine& line, std::size_t most) {
  if (line.details.size() <= most) return line.details;
  std::vector<LedgerDetail> shown(line.details.begin(),
                                  line.details.begin() + static_cast<std::ptrdiff_t>(most));
  LedgerDetail rest;
  rest.label = format_whole(line.details.size() - most) + " more";
  rest.adds_s = line.time_s;
  for (const LedgerDetail& detail : shown) rest.adds_s -= detail.adds_s;
  shown.push_back(std::move(rest));
  return shown;
}

RowLink link_of(const LedgerLine& line, const LedgerDetail& detail) {
  return detail.row ? RowLink{.row = detail.row} : RowLink{.operation_class = line.operation_class};
}

Table details_table(const Ledger& ledger, std::size_t most) {
  const ColumnsOf<LedgerDetail> columns = detail_columns(ledger.kind);
  Table table{"ledger_kernels",
              "Kernels and causes of each line",
              {{"id", "line", CellFormat::text, "", "ID of the ledger line"}},
              {}};
  append(table.columns, heads(columns));
  for (const LedgerLine& line : ledger.lines) {
    for (const LedgerDetail& detail : shown_details(line, most)) {
      std::vector<Cell> row = {line.id};
      append(row, cells(columns, detail));
      table.add(std::move(row), link_of(line, detail));
    }
  }
  return table;
}

Table notes_table(const Ledger& ledger) {
  Table table{"ledger_notes", "Notes", {{"note", "note", CellFormat::text, "", ""}}, {}};
  for (const std::string& note : ledger.notes) table.rows.push_back({note});
  return table;
}

std::string run_summary(const Ledger& ledger) {
  if (!(ledger.ideal_s > 0)) return no_sol_text(ledger);
  return "A typical step takes " + format_si(ledger.measured_s, "s") + ". SOL time is known for " +
         whole_percent(ledger.sol_kernel_s / ledger.kernel_s) +
         " of the kernel time: T_sol = " + format_si(ledger.ideal_s, "s") +
         ", measured T = " + format_si(ledger.sol_kernel_s, "s") +
         ". (Speed-of-light (SOL) time T_sol: time of a kernel's FLOPs and bytes at the machine's "
         "ceilings.)";
}

std::string gap_summary(const Ledger& ledger) {
  const double speed_up = ledger.speed_up();
  std::string text = "The candidate takes " + format_si(ledger.measured_s, "s") +
                     " per step, the baseline " + format_si(ledger.baseline_s, "s") + ": ";
  text += speed_up < 1 ? whole_percent(1 / speed_up - 1) + " slower."
                       : format_ratio(speed_up) + " as fast.";
  text += " The ceilings allow " + format_ratio(ledger.ceiling_ratio) + " (" +
          format_si(ledger.ideal_s, "s") + "): " + ledger.ratio_source + ". The candidate is ";
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  return text + format_si(std::fabs(gap_s), "s") +
         (gap_s >= 0 ? " above this ideal." : " below this ideal.");
}

}  // namespace

std::string largest_lines_text(const Ledger& ledger) {
  constexpr std::size_t kMost = 3;
  std::vector<const LedgerLine*> worst;
  for (const LedgerLine& line : ledger.lines) {
    if (line.time_s > 0) worst.push_back(&line);
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const LedgerLine* a, const LedgerLine* b) { return a->time_s > b->time_s; });
  if (worst.size() > kMost) worst.resize(kMost);
  std::string text;
  for (const LedgerLine* line : worst) {
    text += (text.empty() ? "" : "; ") + line->label + " " + format_si(line->time_s, "s");
  }
  return text.empty() ? text : " Largest lines: " + text + ".";
}

std::string no_sol_text(const Ledger& ledger) {
  return "A typical step takes " + format_si(ledger.measured_s, "s") + "; " +
         (ledger.work_known ? "there are no ceilings for the kernels' FLOPs and bytes"
                            : "no kernel has known FLOPs or bytes") +
         ", so there is no kernel SOL time to compare with." +
         (ledger.advice.empty() ? "" : " " + ledger.advice);
}

std::vector<LedgerRow> ledger_rows(const Ledger& ledger) {
  std::vector<LedgerRow> rows;
  double now_s = ledger.ideal_s;
  const double gap_s = ledger.measured_s - ledger.ideal_s;
  const auto add = [&](LedgerRow row) {
    row.after_s = now_s;
    if (now_s > 0) row.speed_up = ledger.baseline_s / now_s;
    rows.push_back(std::move(row));
  };
  add({.id = "ideal",
       .label = ideal_label(ledger),
       .meaning = ledger.ratio_source,
       .adds_s = ledger.ideal_s - ledger.baseline_s});
  // Without any SOL time the first row has no value.
  if (ledger.kind == LedgerKind::step && !(ledger.ideal_s > 0)) rows.back().after_s.reset();
  double sum_s = rows.front().adds_s;
  for (const LedgerLine& line : ledger.lines) {
    const double before_s = now_s;
    now_s += line.time_s;
    sum_s += line.time_s;
    LedgerRow row{.id = line.id, .label = line.label, .meaning = line.meaning, .line = &line};
    row.adds_s = line.time_s;
    if (gap_s != 0) row.share = line.time_s / gap_s;
    if (before_s > 0 && now_s > 0) {
      row.lost = ledger.baseline_s / before_s - ledger.baseline_s / now_s;
    }
    add(std::move(row));
  }
  now_s = ledger.measured_s;
  add({.id = "measured",
       .label = ledger.kind == LedgerKind::prediction ? "total" : "measured step",
       .meaning = left_over(ledger.residual_s()),
       .adds_s = sum_s});
  return rows;
}

ColumnsOf<LedgerRow> ledger_columns(const Ledger& ledger) {
  return ledger.kind == LedgerKind::prediction ? predicted_columns(ledger)
                                               : measured_columns(ledger.kind == LedgerKind::step);
}

Ledger with_largest_lines(Ledger ledger, std::size_t most) {
  if (ledger.lines.size() <= most + 1) return ledger;
  std::vector<double> sizes;
  for (const LedgerLine& line : ledger.lines) sizes.push_back(std::abs(line.time_s));
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(most),
                           std::greater());
  const double largest_gathered = sizes[most];
  std::vector<LedgerLine> kept;
  LedgerLine other;
  other.id = "other";
  other.meaning = "Sum of all smaller lines";
  for (LedgerLine& line : ledger.lines) {
    if (std::abs(line.time_s) > largest_gathered) {
      kept.push_back(std::move(line));
      continue;
    }
    other.time_s += line.time_s;
    LedgerDetail& detail = other.details.emplace_back();
    detail.label = std::move(line.label);
    detail.adds_s = line.time_s;
  }
  other.label = format_number_of(static_cast<std::int64_t>(other.details.size()), "smaller cause");
  std::ranges::stable_sort(other.details, std::greater(),
                           [](const LedgerDetail& d) { return std::abs(d.adds_s); });
  kept.push_back(std::move(other));
  ledger.lines = std::move(kept);
  return ledger;
}

std::string ledger_title(const Ledger& ledger) {
  switch (ledger.kind) {
    case LedgerKind::step:
      return "From kernel SOL time to measured step";
    case LedgerKind::gap:
      return "From ideal to measured step";
    case LedgerKind::prediction:
      return "Savings by cause";
  }
  return "";
}

Table ledger_table(const Ledger& ledger) {
  const ColumnsOf<LedgerRow> columns = ledger_columns(ledger);
  Table table{"ledger", ledger_title(ledger), heads(columns), {}};
  const bool predicted = ledger.kind == LedgerKind::prediction;
  table.chart = Chart{.kind = ChartKind::waterfall,
                      .label_keys = {"cause"},
                      .description_key = "meaning",
                      .value_keys = {predicted ? "saved_s" : "time_s"}};
  table.chart->total_key = predicted ? "" : "after_s";
  table.chart->more_is_better = predicted;
  for (const LedgerRow& row : ledger_rows(ledger)) {
    table.add(cells(columns, row),
              {.operation_class = row.line ? row.line->operation_class : std::string()});
  }
  return table;
}

Table kernels_of_line(const Ledger& ledger, const LedgerLine& line, std::size_t most) {
  const ColumnsOf<LedgerDetail> columns = detail_columns(ledger.kind);
  Table table{"ledger_kernels_of_line", line.label, heads(columns), {}};
  for (const LedgerDetail& detail : shown_details(line, most)) {
    table.add(cells(columns, detail), link_of(line, detail));
  }
  return table;
}

Finding ledger_finding(Ledger ledger, const std::string& title, std::size_t details) {
  const bool single_run = ledger.kind == LedgerKind::step;
  Finding finding;
  finding.id = single_run ? "step_ledger" : "gap_ledger";
  finding.title = title;
  finding.summary = single_run ? run_summary(ledger) : gap_summary(ledger);
  finding.summary += largest_lines_text(ledger);
  finding.tables = {ledger_table(ledger), details_table(ledger, details), notes_table(ledger)};
  finding.ledger = std::make_shared<const Ledger>(std::move(ledger));
  return finding;
}

}  // namespace mansard::analysis
