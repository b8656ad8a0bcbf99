// SPDX-License-Identifier: Apache-2.0
// What to do about the run, what could save most first.
#include "analyzer/advice/advice.h"

#include <algorithm>

#include "analyzer/row_totals.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr std::size_t kInWords = 3;
constexpr std::size_t kMostEvidence = 5;  // rows to one piece of advice

Table advice_table(const RunAnalysis& run, const std::vector<Advice>& all) {
  Table table{"advice", "Advice", {}, {}};
  table.columns = {
      {"number", "#", CellFormat::count, "", "As in the table of evidence"},
      {"title", "what", CellFormat::text, "", "What was found"},
      {"at_stake_s", "at stake", CellFormat::quantity, "s",
       "What could be saved at most; several can be after the same time"},
      {"share", "of the run", CellFormat::fraction, "", "At stake over span"},
      {"concerned_s", "concerns", CellFormat::quantity, "s", "Time of what it is about"},
      {"advice", "why, and what helps", CellFormat::text, "", "In words"},
      {"id", "rule", CellFormat::text, "", "Which rule says so"}};
  table.chart =
      Chart{.kind = ChartKind::bars, .label_keys = {"title"}, .value_keys = {"at_stake_s"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Advice& a = all[i];
    table.rows.push_back(
        {static_cast<std::int64_t>(i) + 1, a.title, a.at_stake_s ? Cell(*a.at_stake_s) : Cell(),
         a.at_stake_s ? quotient(*a.at_stake_s, run.span_s) : Cell(), a.concerned_s, a.text, a.id});
  }
  return table;
}

Table evidence_table(const RunAnalysis& run, const std::vector<Advice>& all) {
  Table table{"evidence", "Evidence", {}, {}};
  table.columns = {{"number", "#", CellFormat::count, "", "Of the advice"},
                   {"name", "name", CellFormat::text, "", "Short name"},
                   {"class", "class", CellFormat::text, "", "By annotation or name"},
                   {"time_s", "time", CellFormat::quantity, "s", "Of the whole row"},
                   {"launches", "launches", CellFormat::count, "", "Of the whole row"},
                   {"inefficiency", "distance", CellFormat::ratio, "", "Time over speed of light"},
                   {"bound", "bound by", CellFormat::text, "", "What sets the speed of light"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t r = 0; r < std::min(kMostEvidence, all[i].rows.size()); ++r) {
      const KernelRow& row = run.rows[all[i].rows[r]];
      table.rows.push_back({static_cast<std::int64_t>(i) + 1, row.short_name, row.operation_class,
                            row.time_s, row.launches,
                            row.inefficiency ? Cell(*row.inefficiency) : Cell(),
                            row.limit.time_s > 0 ? Cell(row.limit.bound_label) : Cell()});
    }
  }
  return table;
}

Finding advice(const RunAnalysis& run) {
  const std::vector<Advice> all = all_advice(run);
  Finding finding;
  finding.id = "advice";
  finding.title = "Advice";
  if (all.empty()) {
    finding.summary = "Nothing stands out of which the recording holds evidence.";
    return finding;
  }
  // A table's cells are cut to the terminal: the first are said in full here.
  for (std::size_t i = 0; i < std::min(kInWords, all.size()); ++i) {
    finding.summary +=
        (i > 0 ? " (" : "(") + std::to_string(i + 1) + ") " + all[i].title + ". " + all[i].text;
    if (all[i].at_stake_s) {
      finding.summary += " At stake: " + format_si(*all[i].at_stake_s, "s") + " at most.";
    }
  }
  finding.tables = {advice_table(run, all), evidence_table(run, all)};
  return finding;
}

}  // namespace

void register_advice(AnalysisRegistry& registry) {
  registry.add({.name = "advice",
                .summary = "What could be done about the run, what could save most first",
                .order = 15,
                .run = advice});
}

}  // namespace mansard
