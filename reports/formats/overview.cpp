// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/overview.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "analyzer/answer.h"
#include "analyzer/explain/ledger.h"
#include "analyzer/kernel_columns.h"
#include "reports/formats/notes.h"
#include "reports/ledger_of_run.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

constexpr std::size_t kLines = 4;
constexpr std::size_t kKernels = 3;
constexpr std::size_t kNotes = 2;
constexpr int kNoteWidth = 2 * kOverviewWidth - 8;  // two lines with their number
constexpr std::size_t kLinesOfLedger = 8;
constexpr std::size_t kKernelsOfLine = 5;
constexpr std::size_t kClasses = 5;
constexpr std::size_t kComparedKernels = 5;
constexpr std::size_t kLinesOfTables = 36;  // of a machine model

using analysis::Cell;
using analysis::CellFormat;
using analysis::Column;
using analysis::Finding;
using analysis::RunAnalysis;
using analysis::RunUnit;
using analysis::Table;

Finding answer_finding(const RunAnalysis& run, const RunUnit& unit) {
  const analysis::Answer answer(run, unit);
  Finding finding;
  finding.id = "answer";
  finding.title = run.title;
  if (const std::string device = analysis::device_name(run); !device.empty()) {
    finding.title += " on " + device;
  }
  finding.summary = answer.how_long.text;
  if (!answer.how_far.text.empty()) finding.summary += ' ' + answer.how_far.text;
  Table table{
      "first", "What to change first", {{"advice", "advice", CellFormat::text, "", ""}}, {}};
  for (const analysis::Advice& advice : answer.first) {
    const std::string saving = saving_text(advice, unit);
    table.rows.push_back({(saving.empty() ? "" : "Save " + saving + ": ") + advice.title + ". " +
                          (advice.remedy.empty() ? advice.text : advice.remedy)});
  }
  if (!table.rows.empty()) {
    finding.tables.push_back(std::move(table));
  } else if (!answer.no_advice.empty()) {
    finding.summary += ' ' + answer.no_advice;
  }
  return finding;
}

// The parts of a typical step, for runs without SOL times.
Table parts_of_step(const RunUnit& unit) {
  const analysis::TypicalStep& step = *unit.step();
  struct Part {
    std::string name;
    double time_s = 0;
  };
  std::vector<Part> parts;
  for (const auto& [name, time_s] : step.class_s) parts.push_back({name.name(), time_s});
  parts.push_back({"exposed communication", step.communication_s + step.rank_wait_s});
  parts.push_back({"exposed synchronization of replicas", step.replica_sync_s});
  parts.push_back({"exposed memcpy and memset", step.memory_s});
  parts.push_back({"CUDA graphs", step.graphs_s});
  for (const analysis::IdleCauseInfo& cause : analysis::idle_cause_infos()) {
    parts.push_back({"idle: " + std::string(cause.label),
                     step.idle_by_cause_s[static_cast<std::size_t>(cause.id)]});
  }
  std::erase_if(parts, [](const Part& part) { return !(part.time_s > 0); });
  std::ranges::stable_sort(parts, std::greater(), &Part::time_s);
  if (parts.size() > kLines + 1) {
    const auto rest = parts.begin() + kLines;
    const double rest_s = std::accumulate(
        rest, parts.end(), 0.0, [](double sum, const Part& part) { return sum + part.time_s; });
    const auto count = static_cast<std::int64_t>(parts.end() - rest);
    parts.erase(rest, parts.end());
    parts.push_back({format_number_of(count, "smaller part"), rest_s});
  }
  Table table{"parts",
              "Where a step's time goes",
              {{"part", "part", CellFormat::text, "", "Class of kernels, or cause of idle time"},
               {"time_s", "per step", CellFormat::quantity, "s", "Time of a typical step"},
               {"share", "share", CellFormat::fraction, "", "Share of the step"}},
              {}};
  for (const Part& part : parts) {
    table.rows.push_back({part.name, part.time_s, analysis::quotient(part.time_s, step.step_s)});
  }
  return table;
}

Table longest_kernels(const RunAnalysis& run, const RunUnit& unit) {
  const std::string per = "per " + std::string(unit.name());
  const bool on_host = run.rows.front().target == kernels::Target::host;
  const analysis::KernelColumns of_class = choose(analysis::kernel_columns(), {"class"});
  const analysis::KernelColumns reached = choose(analysis::kernel_columns(), {"slowdown", "bound"});
  Table table{"longest_kernels",
              (on_host ? "Longest annotated ranges " : "Longest kernels ") + per,
              {analysis::kernel_head("name"), analysis::kernel_head("class")},
              {}};
  Column time = analysis::kernel_head("time_s", "Total duration " + per);
  time.label = per;
  append(table.columns, {std::move(time),
                         {"share", "share", CellFormat::fraction, "", "Share of the time " + per},
                         {"saving_s", "saving", CellFormat::quantity, "s",
                          "Potential saving " + per + ": T - T_sol"}});
  append(table.columns, heads(reached));
  std::vector<std::size_t> order(run.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t row) { return unit.duration_s(row); });
  for (const std::size_t i : order) {
    if (table.rows.size() == kKernels || !(unit.duration_s(i) > 0)) break;
    const analysis::KernelEntry entry(run.rows[i]);
    std::vector<Cell> line = {analysis::brief_name(run.rows[i])};
    analysis::append(line, cells(of_class, entry));
    line.emplace_back(unit.duration_s(i));
    line.push_back(analysis::quotient(unit.duration_s(i), unit.time_s()));
    line.push_back(analysis::cell_of(unit.saving_s(i)));
    analysis::append(line, cells(reached, entry));
    table.add(std::move(line), {.row = i});
  }
  return table;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

// The first sentences of the first notes; the title counts them.
Table first_notes(const std::vector<std::string>& notes, std::size_t most) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) {
    shown.push_back(truncate_middle(first_sentence(notes[i]), kNoteWidth));
  }
  Table table = std::move(notes_finding(shown).tables.front());
  if (notes.size() > most) {
    table.title += " (" + format_whole(most) + " of " + format_whole(notes.size()) + ")";
  }
  return table;
}

Table largest_lines(const analysis::Ledger& ledger, const std::string& title, std::size_t most) {
  const analysis::Ledger largest = with_largest_lines(ledger, most);
  std::vector<std::string> keys = {"cause", "time_s", "share", "after_s", "speed_up"};
  if (ledger.kind == analysis::LedgerKind::gap) keys.push_back("saving_s");
  const auto columns = choose(ledger_columns(largest), keys);
  Table table{"ledger", title, heads(columns), {}};
  for (const analysis::LedgerRow& row : ledger_rows(largest)) {
    table.rows.push_back(cells(columns, row));
  }
  return table;
}

// The columns with these keys that the table has, and these rows.
Table part_of(const Table& table, const std::vector<std::string>& keys,
              const std::vector<std::size_t>& rows) {
  Table part{table.id, table.title, {}, {}};
  std::vector<std::size_t> columns;
  for (const std::string& key : keys) {
    const auto found = std::ranges::find(table.columns, key, &Column::key);
    if (found == table.columns.end()) continue;
    columns.push_back(static_cast<std::size_t>(found - table.columns.begin()));
    part.columns.push_back(*found);
  }
  for (const std::size_t row : rows) {
    std::vector<Cell>& line = part.rows.emplace_back();
    for (const std::size_t column : columns) line.push_back(table.rows[row].at(column));
  }
  if (table.rows.size() > rows.size()) {
    part.title += " (" + format_whole(rows.size()) + " of " + format_whole(table.rows.size()) + ")";
  }
  return part;
}

std::vector<std::size_t> first_rows(const Table& table, std::size_t most) {
  std::vector<std::size_t> rows(std::min(most, table.rows.size()));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

const Table& table_of(const Finding& finding, std::string_view id) {
  const auto found = std::ranges::find(finding.tables, id, &Table::id);
  if (found != finding.tables.end()) return *found;
  throw std::logic_error("'" + finding.id + "' has no table '" + std::string(id) + "'");
}

}  // namespace

Finding overview(const RunAnalysis& run) {
  const RunUnit unit(run);
  Finding finding = answer_finding(run, unit);
  if (!run.rows.empty()) {
    const std::optional<analysis::Ledger> ledger = ledger_of_run(run);
    if (ledger) {
      finding.tables.push_back(
          largest_lines(*ledger, "Where a " + std::string(unit.name()) + "'s time goes", kLines));
    } else if (unit.name() == "step") {
      finding.tables.push_back(parts_of_step(unit));
    }
    finding.tables.push_back(longest_kernels(run, unit));
  }
  if (!run.notes.empty()) finding.tables.push_back(first_notes(run.notes, kNotes));
  return finding;
}

Finding ledger_overview(const Finding& whole) {
  if (whole.ledger == nullptr) return whole;
  const analysis::Ledger& ledger = *whole.ledger;
  Finding finding;
  finding.id = whole.id;
  finding.title = whole.title;
  finding.summary = whole.summary;
  finding.tables.push_back(largest_lines(ledger, ledger_title(ledger), kLinesOfLedger));
  const auto largest = std::ranges::max_element(ledger.lines, {}, &analysis::LedgerLine::time_s);
  if (largest != ledger.lines.end() && !largest->details.empty()) {
    finding.tables.push_back(kernels_of_line(ledger, *largest, kKernelsOfLine));
    finding.tables.back().title = "Largest line: " + largest->label;
  }
  if (!ledger.notes.empty()) finding.tables.push_back(first_notes(ledger.notes, kNotes));
  return finding;
}

Finding comparison_overview(const Finding& comparison, const std::optional<Finding>& loss,
                            const std::vector<std::string>& notes) {
  Finding finding;
  finding.id = comparison.id;
  finding.title = comparison.title;
  finding.summary = comparison.summary;
  if (loss) finding.summary += ' ' + loss->summary;
  const Table& classes = table_of(comparison, "classes");
  const Table& kernels = table_of(comparison, "kernels");
  finding.tables = {table_of(comparison, "totals"),
                    part_of(classes, {"class", "a_s", "b_s", "difference_s", "change"},
                            first_rows(classes, kClasses)),
                    part_of(kernels, {"name", "verdict", "a_s", "b_s", "difference_s", "change"},
                            first_rows(kernels, kComparedKernels))};
  if (!notes.empty()) finding.tables.push_back(first_notes(notes, kNotes));
  return finding;
}

Finding machine_overview(const Finding& whole) {
  constexpr std::size_t kAround = 4;  // blank line, title, head and rule of a table
  std::size_t left = kLinesOfTables;
  Finding finding;
  finding.id = whole.id;
  finding.title = whole.title;
  finding.summary = whole.summary;
  const bool several = std::ranges::any_of(
      whole.tables, [](const Table& table) { return table.id.ends_with("_2"); });
  if (several) finding.summary += " Only the first device is shown.";
  for (const std::string_view id : {"compute", "bandwidth", "overhead", "latency", "operations"}) {
    const auto found = std::ranges::find(whole.tables, id, &Table::id);
    if (found == whole.tables.end()) continue;
    const std::vector<std::size_t>& bounding = found->chart->rows;
    if (kAround + bounding.size() > left) continue;
    left -= kAround + bounding.size();
    const std::string value = found->columns.at(1).key;
    finding.tables.push_back(part_of(
        *found, {"ceiling", value, "spread", "clock_hz", "data_pattern", "kernel", "of_theory"},
        bounding));
  }
  return finding;
}

Finding prediction_overview(const std::vector<Finding>& predicted) {
  Finding finding;
  const auto ledger = std::ranges::find(predicted, "ledger", &Finding::id);
  // The step of the recipe follows its comparison with another one.
  const Finding& step = ledger == predicted.begin() ? predicted.at(1) : predicted.front();
  if (ledger == predicted.end()) {
    finding = step;
    std::erase_if(finding.tables, [](const Table& table) {
      return table.id == "step" || table.id == "link_tiers";
    });
    return finding;
  }
  finding.id = ledger->id;
  finding.title = ledger->title;
  finding.summary = ledger->summary + ' ' + step.summary;
  finding.tables = {table_of(*ledger, "ledger"), table_of(step, "parts")};
  finding.tables.back().title += ": " + step.title;
  return finding;
}

Finding goodput_overview(const Finding& whole) {
  Finding finding;
  finding.id = whole.id;
  finding.title = whole.title;
  finding.summary = whole.summary;
  const Table& overhead = table_of(whole, "overhead");
  const Table& changes = table_of(whole, "changes");
  const Table& intervals = table_of(whole, "intervals");
  finding.tables = {
      part_of(overhead, {"cause", "time_h", "share"}, first_rows(overhead, overhead.rows.size())),
      part_of(changes, {"change", "gain", "goodput"}, first_rows(changes, kLines)),
      part_of(intervals, {"interval", "interval_min", "goodput", "lost_samples"},
              first_rows(intervals, kLines))};
  std::erase_if(finding.tables, [](const Table& table) { return table.rows.empty(); });
  return finding;
}

}  // namespace mansard::reports
