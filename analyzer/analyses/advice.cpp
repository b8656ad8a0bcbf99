// SPDX-License-Identifier: Apache-2.0
// Ranks advice on the run by potential saving, largest first.
#include "analyzer/advice/advice.h"

#include <algorithm>

#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kInWords = 3;
constexpr std::size_t kMostEvidence = 5;  // rows to one piece of advice

Table advice_table(const RunUnit& unit, const std::vector<Advice>& all) {
  const std::string per = " per " + std::string(unit.name());
  Table table{"advice", "Advice", {}, {}};
  table.columns = {
      {"number", "#", CellFormat::count, "", "As in the table of evidence"},
      {"title", "what", CellFormat::text, "", "What was found"},
      {"saving_s", "saving", CellFormat::quantity, "s",
       "Potential saving" + per + ", an upper bound; several can be after the same time"},
      {"saving_low_s", "from", CellFormat::quantity, "s",
       "Lower bound of the saving at the clock that follows (power limit)"},
      {"saving_high_s", "to", CellFormat::quantity, "s", "Upper bound of the same"},
      {"share", "share", CellFormat::fraction, "", "Potential saving over the time" + per},
      {"concerned_s", "concerns", CellFormat::quantity, "s", "Time" + per + " of what it is about"},
      {"advice", "why, and what helps", CellFormat::text, "", "In words"},
      {"id", "rule", CellFormat::text, "", "Which rule says so"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"title"}, .value_keys = {"saving_s"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Advice& a = all[i];
    table.rows.push_back(
        {static_cast<std::int64_t>(i) + 1, a.title, a.saving_s ? Cell(*a.saving_s) : Cell(),
         a.saving_low_s ? Cell(*a.saving_low_s) : Cell(),
         a.saving_high_s ? Cell(*a.saving_high_s) : Cell(),
         a.saving_s ? quotient(*a.saving_s, unit.time_s()) : Cell(), a.concerned_s, a.text, a.id});
  }
  return table;
}

Table evidence_table(const RunAnalysis& run, const RunUnit& unit, const std::vector<Advice>& all) {
  const std::string per = "Per " + std::string(unit.name());
  const KernelColumns kernel = choose(kernel_columns(), {"name", "class"});
  const KernelColumns reached = choose(kernel_columns(), {"slowdown", "bound"});
  Table table{
      "evidence", "Evidence", {{"number", "#", CellFormat::count, "", "Of the advice"}}, {}};
  append(table.columns, heads(kernel));
  append(table.columns, {kernel_head("time_s", per), kernel_head("launches", per)});
  append(table.columns, heads(reached));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t r = 0; r < std::min(kMostEvidence, all[i].rows.size()); ++r) {
      const std::size_t index = all[i].rows[r];
      const KernelEntry entry(run.rows[index]);
      std::vector<Cell> line = {static_cast<std::int64_t>(i) + 1};
      append(line, cells(kernel, entry));
      append(line, {unit.duration_s(index), unit.launches(index)});
      append(line, cells(reached, entry));
      table.add(std::move(line), {.row = index});
    }
  }
  return table;
}

Finding advice(const RunAnalysis& run) {
  const RunUnit unit(run);
  const std::vector<Advice> all = all_advice(run, unit);
  Finding finding;
  finding.id = "advice";
  finding.title = "Advice";
  if (all.empty()) {
    finding.summary = "No issues found in this profile.";
    return finding;
  }
  // A table's cells are cut to the terminal: the first are said in full here.
  for (std::size_t i = 0; i < std::min(kInWords, all.size()); ++i) {
    finding.summary +=
        (i > 0 ? " (" : "(") + std::to_string(i + 1) + ") " + all[i].title + ". " + all[i].text;
    if (all[i].saving_s) {
      finding.summary += " Potential saving: up to " + format_si(*all[i].saving_s, "s") + " per " +
                         std::string(unit.name());
      if (all[i].saving_low_s && all[i].saving_high_s) {
        finding.summary += " (" + format_si(*all[i].saving_low_s, "s") + " to " +
                           format_si(*all[i].saving_high_s, "s") + ", power limit included)";
      }
      finding.summary += ".";
    }
  }
  finding.tables = {advice_table(unit, all), evidence_table(run, unit, all)};
  return finding;
}

}  // namespace

void register_advice(AnalysisRegistry& registry) {
  registry.add({.name = "advice",
                .summary = "What to do about the run, by potential saving",
                .order = 15,
                .run = advice});
}

}  // namespace mansard::analysis
