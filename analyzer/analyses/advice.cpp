// SPDX-License-Identifier: Apache-2.0
// Advice on the run, sorted by potential saving, largest first.
#include "analyzer/advice/advice.h"

#include <algorithm>

#include "analyzer/answer.h"
#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kInWords = 3;      // pieces of advice in the summary
constexpr std::size_t kMaxEvidence = 5;  // evidence rows per piece of advice

std::string cause_and_remedy(const Advice& advice) {
  return advice.remedy.empty() ? advice.text : advice.text + ' ' + advice.remedy;
}

Table advice_table(const RunUnit& unit, const std::vector<Advice>& all) {
  const std::string per = " per " + std::string(unit.name());
  Table table{"advice", "Advice", {}, {}};
  table.columns = {
      {"number", "#", CellFormat::count, "", "Number, as in the evidence table"},
      {"title", "issue", CellFormat::text, "", "Issue found"},
      {"saving_s", "potential saving", CellFormat::quantity, "s",
       "Upper bound of the saving" + per + "; savings can overlap, so they do not add up"},
      {"saving_low_s", "from", CellFormat::quantity, "s",
       "Lower bound of the saving, with the change of the SM clock at the power limit"},
      {"saving_high_s", "to", CellFormat::quantity, "s",
       "Upper bound of the saving, with the change of the SM clock at the power limit"},
      {"share", "share", CellFormat::fraction, "", "Potential saving / time" + per},
      {"concerned_s", "affected time", CellFormat::quantity, "s",
       "Time" + per + " of the affected kernels or idle time"},
      {"advice", "cause and remedy", CellFormat::text, "", "Explanation and recommendation"},
      {"id", "rule", CellFormat::text, "", "Id of the advice rule"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"title"}, .value_keys = {"saving_s"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Advice& a = all[i];
    table.rows.push_back({static_cast<std::int64_t>(i) + 1, a.title,
                          a.saving_s ? Cell(*a.saving_s) : Cell(),
                          a.saving_low_s ? Cell(*a.saving_low_s) : Cell(),
                          a.saving_high_s ? Cell(*a.saving_high_s) : Cell(),
                          a.saving_s ? quotient(*a.saving_s, unit.time_s()) : Cell(), a.concerned_s,
                          cause_and_remedy(a), a.id});
  }
  return table;
}

Table evidence_table(const RunAnalysis& run, const RunUnit& unit, const std::vector<Advice>& all) {
  const std::string per = "Per " + std::string(unit.name());
  const KernelColumns kernel = choose(kernel_columns(), {"name", "class"});
  const KernelColumns reached = choose(kernel_columns(), {"slowdown", "bound"});
  Table table{
      "evidence", "Evidence", {{"number", "#", CellFormat::count, "", "Number of the advice"}}, {}};
  append(table.columns, heads(kernel));
  append(table.columns, {kernel_head("time_s", per), kernel_head("launches", per)});
  append(table.columns, heads(reached));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t r = 0; r < std::min(kMaxEvidence, all[i].rows.size()); ++r) {
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
    finding.summary = no_advice_text(run);
    return finding;
  }
  // Table cells are cut to the terminal width: the summary has the first ones in full.
  for (std::size_t i = 0; i < std::min(kInWords, all.size()); ++i) {
    finding.summary += (i > 0 ? " (" : "(") + std::to_string(i + 1) + ") " + all[i].title + ". " +
                       cause_and_remedy(all[i]);
    const std::string saving = saving_text(all[i], unit);
    if (!saving.empty()) finding.summary += " Potential saving: " + saving + ".";
  }
  finding.tables = {advice_table(unit, all), evidence_table(run, unit, all)};
  return finding;
}

}  // namespace

void register_advice(AnalysisRegistry& registry) {
  registry.add({.name = "advice",
                .summary = "Performance issues and remedies, by potential saving",
                .order = 15,
                .run = advice});
}

}  // namespace mansard::analysis
