// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_tables.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"

namespace mansard::analysis {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kMinute_s = 60;

// A value per run that may not exist, such as the goodput of a job without progress.
template <typename Value>
Cell if_possible(Value value) {
  try {
    return value();
  } catch (const std::runtime_error&) {
    return {};
  }
}

Cell minutes(double time_s) { return std::isfinite(time_s) ? Cell(time_s / kMinute_s) : Cell(); }

double recovery_of(const Goodput& g) {
  return g[GoodputPart::detection] + g[GoodputPart::rescheduling] + g[GoodputPart::loading];
}

double missing_nodes_of(const Goodput& g) {
  return g[GoodputPart::waiting] + g[GoodputPart::degraded];
}

// Shares of the wall time that add up to 1.
std::vector<Column> share_columns() {
  using enum CellFormat;
  return {{"goodput", "goodput", fraction, "", "Training / wall time"},
          {"synchronization", "synchronization", fraction, "", "Exposed, share of the wall time"},
          {"saving", "saving", fraction, "", "Share of the wall time"},
          {"lost_work", "lost work", fraction, "", "Share of the wall time"},
          {"recovery", "recovery", fraction, "",
           "Detection, rescheduling and loading, share of the wall time"},
          {"missing_nodes", "missing nodes", fraction, "",
           "Waiting for a spare node or running with fewer nodes, share of the wall time"}};
}

std::vector<Cell> share_cells(const Goodput& g) {
  return {g.fraction(),
          g.share(GoodputPart::synchronization),
          g.share(GoodputPart::saving),
          g.share(GoodputPart::lost_work),
          recovery_of(g) / g.wall_s(),
          missing_nodes_of(g) / g.wall_s()};
}

Chart share_chart(const std::string& label_key) {
  return {
      .kind = ChartKind::stacked_bars,
      .label_keys = {label_key},
      .value_keys = {"goodput", "synchronization", "saving", "lost_work", "recovery",
                     "missing_nodes"},
      .value_kinds = {"kernels", "communication", "memcpy_memset", "graphs", "idle", "waiting"}};
}

}  // namespace

Table result_table(const GoodputJob& job, const Goodput& goodput) {
  using enum CellFormat;
  Table table{"goodput", "Result", {}, {}};
  table.columns = {
      {"goodput", "goodput", fraction, "", "Share of the wall time in which steps that count run"},
      {"wall_h", "wall time", number, "h", "Time of the whole job"},
      {"steps", "steps", count, "", "Completed steps"},
      {"step_s", "step", quantity, "s", "Step time with exposed synchronization"},
      {"gpus", "GPUs", count, "", "GPUs that the job uses"},
      {"mtbf_h", "time between failures", number, "h", "Mean time between failures of the job"},
      {"failures", "failures", count, "", "Expected number of failures"},
      {"interval_min", "checkpoint interval", number, "min",
       "Training time from one checkpoint to the next"},
      {"optimum_min", "optimum", number, "min", "Interval with the highest goodput"}};
  const Cell optimum = if_possible([&] {
    GoodputJob free = job;
    free.interval_s.reset();
    return minutes(interval_of(free));
  });
  table.rows = {{goodput.fraction(), goodput.wall_s() / kSecondsPerHour,
                 static_cast<std::int64_t>(std::llround(goodput.steps)), job.step_s(), job.gpus,
                 std::isfinite(job.mtbf_s()) ? Cell(job.mtbf_s() / kSecondsPerHour) : Cell(),
                 goodput.failures, minutes(goodput.interval_s), optimum}};
  if (job.recovery == Recovery::partial) {
    table.columns.push_back({"lost_samples", "lost samples", fraction, "",
                             "Portion of lost samples (PLS): updates that failed nodes lose"});
    table.rows[0].push_back(goodput.lost_samples);
  }
  return table;
}

Table overhead_table(const Goodput& goodput) {
  using enum CellFormat;
  Table table{"overhead", "Where the wall time goes", {}, {}};
  table.columns = {
      {"cause", "cause", text, "", "Where the time goes"},
      {"time_h", "time", number, "h", "Expected time; the causes add up to the last row"},
      {"share", "share", fraction, "", "Time / wall time"},
      {"meaning", "meaning", text, "", "Definition of the cause"}};
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"cause"},
                      .description_key = "meaning",
                      .value_keys = {"share"}};
  // Training would leave little width for all others.
  table.chart->selection = "all causes except training";
  for (const GoodputPartInfo& info : goodput_parts()) {
    if (goodput[info.part] == 0) continue;
    if (info.part != GoodputPart::compute) table.chart->rows.push_back(table.rows.size());
    table.rows.push_back({std::string(info.label), goodput[info.part] / kSecondsPerHour,
                          goodput.share(info.part), std::string(info.meaning)});
  }
  // An empty list of rows would draw all of them.
  if (table.chart->rows.empty()) table.chart.reset();
  table.rows.push_back({std::string("wall time"), goodput.wall_s() / kSecondsPerHour, 1.0, Cell()});
  return table;
}

Table split_table(const Goodput& goodput, const std::vector<GoodputChange>& changes,
                  std::size_t most) {
  Table table{"split", "Where the wall time goes", {}, {}};
  table.columns = {{"job", "job", CellFormat::text, "", "The job, and with one changed input"}};
  append(table.columns, share_columns());
  table.chart = share_chart("job");
  table.chart->label_keys.push_back("goodput");  // all bars are as long as the wall time
  const auto add = [&](const std::string& name, const Goodput& g) {
    std::vector<Cell> row = {name};
    append(row, share_cells(g));
    table.rows.push_back(std::move(row));
  };
  add("now", goodput);
  for (std::size_t i = 0; i < std::min(most, changes.size()); ++i) {
    add(changes[i].text, changes[i].goodput);
  }
  return table;
}

Table changes_table(const std::vector<GoodputChange>& changes) {
  using enum CellFormat;
  Table table{"changes", "What would raise goodput most", {}, {}};
  table.columns = {{"change", "change", text, "", "One changed input; all others as they are"},
                   {"gain", "gain", fraction, "", "Goodput with the change - goodput now", true},
                   {"goodput", "goodput", fraction, "", "With the change"},
                   {"wall_h", "wall time", number, "h", "With the change, for the same steps"},
                   {"interval_min", "checkpoint interval", number, "min", "With the change"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"change"}, .value_keys = {"gain"}};
  for (const GoodputChange& change : changes) {
    table.rows.push_back({change.text, change.gain, change.goodput.fraction(),
                          change.goodput.wall_s() / kSecondsPerHour,
                          minutes(change.goodput.interval_s)});
  }
  return table;
}

Table intervals_table(const GoodputJob& job) {
  using enum CellFormat;
  Table table{"intervals", "Checkpoint intervals", {}, {}};
  table.columns = {
      {"interval", "interval", text, "", "Formula; see docs/goodput.md"},
      {"interval_min", "time", number, "min", "Training time between two checkpoints"},
      {"steps", "steps", count, "", "Interval / step time"},
      {"goodput", "goodput", fraction, "", "Exact expectation"},
      {"first_order", "first order", fraction, "", "Goodput by the first-order formula"}};
  if (job.recovery == Recovery::partial) {
    table.columns.push_back({"lost_samples", "lost samples", fraction, "", "Expected PLS"});
  }
  const auto add = [&](const std::string& name, double interval_s) {
    GoodputJob other = job;
    other.interval_s = interval_s;
    const auto of = [&](auto value) { return if_possible([&] { return Cell(value(other)); }); };
    const bool possible = interval_s > 0 && std::isfinite(interval_s);
    table.rows.push_back(
        {name, minutes(interval_s), possible ? Cell(interval_s / job.step_s()) : Cell(),
         of([](const GoodputJob& j) { return expected_goodput(j).fraction(); }),
         of([](const GoodputJob& j) { return first_order_goodput(j).fraction(); })});
    if (job.recovery == Recovery::partial) {
      table.rows.back().push_back(
          of([](const GoodputJob& j) { return expected_goodput(j).lost_samples; }));
    }
  };
  add(job.interval_s ? "given" : "chosen", interval_of(job));
  if (job.recovery == Recovery::full) {
    add("optimum of the exact expectation", optimum_interval_s(job.save_s, job.mtbf_s()));
    add("Daly (2006)", daly_interval_s(job.save_s, job.mtbf_s()));
    add("Young (1974)", young_interval_s(job.save_s, job.mtbf_s()));
  } else {
    add("longest within the share of lost samples, exact", partial_interval_s(job));
    add("longest within the share of lost samples, first order (CPR)", cpr_partial_interval_s(job));
  }
  return table;
}

Table sweep_table(const GoodputJob& job) {
  using enum CellFormat;
  Table table{"sweep", "Goodput over the checkpoint interval", {}, {}};
  table.columns = {
      {"interval_min", "checkpoint interval", number, "min",
       "Training time between two checkpoints"},
      {"goodput", "exact expectation", fraction, "", "Expected goodput"},
      {"first_order", "first order (Young, CPR)", fraction, "", "Goodput to first order"}};
  table.chart = Chart{.kind = ChartKind::lines,
                      .label_keys = {"interval_min"},
                      .value_keys = {"goodput", "first_order"}};
  const double chosen_s = interval_of(job);
  for (const double factor :
       {0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0}) {
    GoodputJob other = job;
    other.interval_s = factor * chosen_s;
    const Cell exact = if_possible([&] { return Cell(expected_goodput(other).fraction()); });
    const Cell first = if_possible([&] { return Cell(first_order_goodput(other).fraction()); });
    if (exact == Cell()) continue;  // shorter than a step or a background write
    table.rows.push_back({*other.interval_s / kMinute_s, exact, first});
    if (*other.interval_s >= job.training_s()) break;
  }
  return table;
}

Table alternatives_table(const GoodputJob& job) {
  using enum CellFormat;
  Table table{"alternatives", "Recovery and synchronization", {}, {}};
  table.columns = {
      {"choice", "recovery, synchronization", text, "", "Kinds of recovery and synchronization"}};
  append(table.columns, share_columns());
  append(table.columns,
         {{"wall_h", "wall time", number, "h", "For the same steps"},
          {"interval_min", "checkpoint interval", number, "min",
           "Given, or chosen for this kind of recovery"},
          {"lost_samples", "lost samples", fraction, "", "Portion of lost samples (PLS)"}});
  table.chart = share_chart("choice");
  for (const auto& [recovery, replicated] :
       {std::pair(Recovery::full, false), std::pair(Recovery::partial, false),
        std::pair(Recovery::partial, true)}) {
    if (replicated && job.replicas() < 2) continue;
    for (const Synchronization sync : {Synchronization::foreground, Synchronization::background}) {
      GoodputJob other = job;
      other.recovery = recovery;
      other.replicated = replicated;
      other.synchronization = sync;
      const std::string name = std::string(recovery_text(other)) + ", " +
                               (sync == Synchronization::foreground ? "foreground" : "background");
      try {
        const Goodput g = expected_goodput(other);
        std::vector<Cell> row = {name};
        append(row, share_cells(g));
        append(row, {g.wall_s() / kSecondsPerHour, minutes(g.interval_s),
                     recovery == Recovery::partial ? Cell(g.lost_samples) : Cell()});
        table.rows.push_back(std::move(row));
      } catch (const std::runtime_error&) {
        table.rows.push_back({name, {}, {}, {}, {}, {}, {}, {}, {}, {}});
      }
    }
  }
  return table;
}

Table simulation_table(const GoodputJob& job, const Goodput& goodput,
                       const SimulatedGoodput& simulated) {
  using enum CellFormat;
  const Goodput first = first_order_goodput(job);
  Table table{"simulation", "Formulas and simulation", {}, {}};
  table.columns = {
      {"method", "method", text, "", "How the goodput was obtained"},
      {"goodput", "goodput", fraction, "", "Training / wall time"},
      {"goodput_error_percent", "±", number, "%", "95 % confidence interval of the mean", false, 2},
      {"difference", "difference", fraction, "", "Goodput / simulated goodput - 1", true},
      {"wall_h", "wall time", number, "h", "Mean wall time"},
      {"wall_error_h", "±", number, "h", "95 % confidence interval of the mean", false, 2},
      {"failures", "failures", count, "", "Mean number of failures"},
      {"low", "5 % of runs below", fraction, "", "5 % quantile of the goodput of single runs"},
      {"high", "5 % of runs above", fraction, "", "95 % quantile of the goodput of single runs"}};
  const bool partial = job.recovery == Recovery::partial;
  if (partial) {
    table.columns.push_back({"lost_samples", "lost samples", fraction, "", "Mean PLS"});
  }
  const auto add = [&](const char* name, const Goodput& g, bool is_simulated) {
    const auto only = [&](double value) { return is_simulated ? Cell(value) : Cell(); };
    table.rows.push_back(
        {std::string(name), g.fraction(), only(100 * simulated.fraction_error),
         is_simulated ? Cell() : Cell(g.fraction() / simulated.mean.fraction() - 1),
         g.wall_s() / kSecondsPerHour, only(simulated.wall_error_s / kSecondsPerHour), g.failures,
         only(simulated.fraction_low), only(simulated.fraction_high)});
    if (partial) table.rows.back().push_back(g.lost_samples);
  };
  add("simulation", simulated.mean, true);
  add("exact expectation", goodput, false);
  add("first order (Young, CPR)", first, false);
  return table;
}

Table simulated_parts_table(const GoodputJob& job, const Goodput& goodput,
                            const SimulatedGoodput& simulated) {
  using enum CellFormat;
  const Goodput first = first_order_goodput(job);
  Table table{"simulated_parts", "Time by cause: formulas and simulation", {}, {}};
  table.columns = {{"cause", "cause", text, "", "Where the time goes"},
                   {"exact_h", "exact expectation", number, "h", "Expected time"},
                   {"first_order_h", "first order", number, "h", "To first order"},
                   {"simulated_h", "simulated", number, "h", "Mean of all replications"},
                   {"error_h", "±", number, "h", "95 % confidence interval of the mean", false, 2},
                   {"difference_h", "exact - simulated", number, "h",
                    "Within ± for 95 % of the parts if the formula is exact", true}};
  const auto add = [&](const std::string& name, double exact_s, double first_s, double mean_s,
                       double error_s) {
    const double difference_s = exact_s - mean_s;
    const bool rounding = std::fabs(difference_s) < 1e-9 * exact_s;
    table.rows.push_back({name, exact_s / kSecondsPerHour, first_s / kSecondsPerHour,
                          mean_s / kSecondsPerHour, error_s / kSecondsPerHour,
                          rounding ? 0.0 : difference_s / kSecondsPerHour});
  };
  for (const GoodputPartInfo& info : goodput_parts()) {
    if (goodput[info.part] == 0 && simulated.mean[info.part] == 0) continue;
    add(std::string(info.label), goodput[info.part], first[info.part], simulated.mean[info.part],
        simulated.part_errors_s[static_cast<std::size_t>(info.part)]);
  }
  add("wall time", goodput.wall_s(), first.wall_s(), simulated.mean.wall_s(),
      simulated.wall_error_s);
  return table;
}

Table inputs_table(const std::vector<GoodputInput>& inputs) {
  using enum CellFormat;
  Table table{"inputs", "Inputs", {}, {}};
  table.columns = {{"input", "input", text, "", "Input of the analysis"},
                   {"value", "value", text, "", "Value with unit"},
                   {"source", "source", text, "", "Where the value comes from"}};
  for (const GoodputInput& input : inputs) {
    table.rows.push_back({input.name, input.value, input.source});
  }
  return table;
}

}  // namespace mansard::analysis
