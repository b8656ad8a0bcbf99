// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/runs_finding.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/answer.h"
#include "support/dates.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr std::size_t kRunsForTrend = 3;

struct RunSummary {
  std::string title;
  std::int64_t start_utc_ns = 0;  // 0: unknown
  std::string device;
  bool has_steps = false;
  double time_s = 0;  // of a typical step, or of the whole run; 0: not available
  std::optional<double> slowdown;
  std::optional<Advice> first;
  std::vector<std::pair<OperationClass, double>> shares;
};

RunSummary summary_of(const RunAnalysis& run) {
  RunSummary summary;
  summary.title = run.title;
  summary.start_utc_ns = run.profile.session.start_utc_ns;
  summary.device = device_name(run);
  if (run.rows.empty()) return summary;
  const RunUnit unit(run);
  summary.has_steps = unit.name() == "step";
  summary.time_s = unit.time_s();
  Answer answer(run, unit);
  if (answer.distance) summary.slowdown = answer.distance->slowdown();
  if (!answer.first.empty()) summary.first = std::move(answer.first.front());
  summary.shares = unit.shares();
  return summary;
}

// "2026-11-28 05:32"
std::string date_text(std::int64_t utc_ns) {
  return format_utc(utc_ns).substr(0, std::string_view("2026-11-28 05:32").size());
}

double day(std::int64_t utc_ns) { return 1e-9 * static_cast<double>(utc_ns) / kSecondsPerDay; }

Cell known(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Table runs_table(const std::vector<RunSummary>& runs) {
  Table table{"runs", "Runs", {}, {}};
  table.columns = {
      {"run", "run", CellFormat::text, "", "Name of the profile"},
      {"step_s", "step time", CellFormat::quantity, "s", "Time of a typical step"},
      {"run_s", "run time", CellFormat::quantity, "s", "Time of the whole run, without steps"},
      {"difference", "vs. first", CellFormat::fraction, "",
       "Time / time of the first run - 1; positive: slower", true},
      {"slowdown", "slowdown vs. SOL", CellFormat::ratio, "",
       "Time / time at speed of light, idle time included; kernels without SOL time count as "
       "measured, so that it is a lower bound"},
      {"saving_s", "saves up to", CellFormat::quantity, "s",
       "Potential saving per step of what to change first"},
      {"first", "change first", CellFormat::text, "", "Advice with the largest potential saving"},
      {"date_utc", "date (UTC)", CellFormat::text, "", "Start of the profile"},
      {"device", "device", CellFormat::text, "", "Device that the run is compared with"},
  };
  const RunSummary& base = runs.front();
  for (const RunSummary& run : runs) {
    std::optional<double> difference;
    if (&run != &base && run.has_steps == base.has_steps && run.time_s > 0 && base.time_s > 0) {
      difference = run.time_s / base.time_s - 1;
    }
    std::optional<double> step_s;
    std::optional<double> run_s;
    if (run.time_s > 0) (run.has_steps ? step_s : run_s) = run.time_s;
    const std::string date = run.start_utc_ns > 0 ? date_text(run.start_utc_ns) : std::string();
    table.rows.push_back(
        {run.title, cell_of(step_s), cell_of(run_s), cell_of(difference), cell_of(run.slowdown),
         cell_of(run.first ? run.first->saving_s : std::nullopt),
         known(run.first ? run.first->title : std::string()), known(date), known(run.device)});
  }
  // Most reports have only runs with steps, or only runs without.
  for (const char* key : {"step_s", "run_s"}) {
    const auto column = std::ranges::find(table.columns, key, &Column::key);
    const auto at = column - table.columns.begin();
    const bool used = std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
      return !std::holds_alternative<std::monostate>(row[static_cast<std::size_t>(at)]);
    });
    if (used) continue;
    table.columns.erase(column);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
  }
  return table;
}

// The runs with steps, one stacked bar each.
Table parts_table(const std::vector<RunSummary>& runs) {
  Table table{"runs_parts", "Parts of a typical step", {}, {}};
  table.columns = {
      {"run", "run", CellFormat::text, "", "Name of the profile"},
      {"kind", "activity", CellFormat::text, "", "Kernels and memory operations, or idle"},
      {"class", "part", CellFormat::text, "", "Class of operation, or idle"},
      {"time_s", "time per step", CellFormat::quantity, "s", "Time of a typical step"},
  };
  table.chart = Chart{.kind = ChartKind::stacked_bars,
                      .label_keys = {"run"},
                      .value_keys = {"time_s"},
                      .part_key = "class",
                      .part_kind_key = "kind"};
  for (const RunSummary& run : runs) {
    if (!run.has_steps) continue;
    for (const auto& [operation_class, share] : run.shares) {
      const bool idle = operation_class == "idle";
      table.rows.push_back({run.title, std::string(idle ? "idle" : "kernels"),
                            operation_class.empty() ? "other" : operation_class.name(),
                            share * run.time_s});
    }
  }
  return table;
}

// The step time over the days, oldest first; no rows if the runs are too few or of one day.
Table trend_table(const std::vector<RunSummary>& runs) {
  Table table{"runs_trend", "Step time by date", {}, {}};
  std::vector<const RunSummary*> dated;
  std::set<std::int64_t> days;
  for (const RunSummary& run : runs) {
    if (run.start_utc_ns <= 0 || !run.has_steps || !(run.time_s > 0)) continue;
    dated.push_back(&run);
    days.insert(static_cast<std::int64_t>(std::floor(day(run.start_utc_ns))));
  }
  if (dated.size() < kRunsForTrend || days.size() < 2) return table;
  std::ranges::stable_sort(dated, {}, &RunSummary::start_utc_ns);
  const std::int64_t first_ns = dated.front()->start_utc_ns;
  const std::string since = date_text(first_ns);
  table.title = "Step time from " + since.substr(0, 10) + " to " +
                date_text(dated.back()->start_utc_ns).substr(0, 10);
  table.columns = {
      {"day", "days since " + since + " UTC", CellFormat::number, "", "Time since the first run"},
      {"run", "run", CellFormat::text, "", "Name of the profile"},
      {"step_s", "step time", CellFormat::quantity, "s", "Time of a typical step"},
  };
  table.chart = Chart{.kind = ChartKind::lines, .label_keys = {"day"}, .value_keys = {"step_s"}};
  for (const RunSummary* run : dated) {
    table.rows.push_back({day(run->start_utc_ns - first_ns), run->title, run->time_s});
  }
  return table;
}

std::string sentence(const std::vector<RunSummary>& runs) {
  std::vector<const RunSummary*> timed;
  for (const RunSummary& run : runs) {
    if (run.has_steps && run.time_s > 0) timed.push_back(&run);
  }
  std::string text = format_number_of(static_cast<std::int64_t>(runs.size()), "run") + ".";
  if (timed.size() < 2) return text;
  const auto [fast, slow] =
      std::ranges::minmax_element(timed, {}, [](const RunSummary* run) { return run->time_s; });
  return text + " The shortest step takes " + format_si((*fast)->time_s, "s") + " (" +
         (*fast)->title + "), the longest " + format_si((*slow)->time_s, "s") + " (" +
         (*slow)->title + ").";
}

}  // namespace

Finding runs_finding(const std::vector<RunAnalysis>& runs) {
  Finding finding;
  finding.id = "runs";
  finding.title = "Runs";
  if (runs.empty()) return finding;
  std::vector<RunSummary> summaries;
  for (const RunAnalysis& run : runs) summaries.push_back(summary_of(run));
  finding.summary = sentence(summaries);
  finding.tables = {runs_table(summaries), parts_table(summaries)};
  Table trend = trend_table(summaries);
  if (!trend.rows.empty()) finding.tables.push_back(std::move(trend));
  return finding;
}

}  // namespace mansard::analysis
