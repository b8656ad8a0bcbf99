// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "analyzer/kernel_columns.h"
#include "analyzer/row_totals.h"
#include "support/dates.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr std::size_t kExtremes = 5;  // plotted at each end of many ranks

struct RankLine {
  const JobRanks& job;
  const JobRank& rank;

  const RankSummary& summary() const { return job.summaries[rank.index]; }
  const RankArrivals& arrivals() const { return job.arrivals.ranks[rank.index]; }
};

// A value of a typical step; empty if the rank has none.
ColumnOf<RankLine> time_column(const char* key, const char* label, const char* description,
                               double JobRank::*member) {
  return {{key, label, CellFormat::quantity, "s", description}, [member](const RankLine& line) {
            return line.rank.compared ? Cell(line.rank.*member) : Cell();
          }};
}

Cell matched_cell(const RankLine& line, std::int64_t RankArrivals::*member) {
  const RankArrivals& arrivals = line.arrivals();
  return arrivals.matched > 0 ? quotient(static_cast<double>(arrivals.*member),
                                         static_cast<double>(arrivals.matched))
                              : Cell();
}

// All columns of the table of ranks, in order.
const ColumnsOf<RankLine>& rank_columns() {
  static const ColumnsOf<RankLine> kColumns = {
      {{"rank", "rank", CellFormat::count, "", "Rank in the job"},
       [](const RankLine& line) { return std::int64_t{line.rank.rank}; }},
      {{"host", "host", CellFormat::text, "", "Host of the rank"},
       [](const RankLine& line) { return text_cell(line.summary().host); }},
      {{"device", "GPU", CellFormat::count, "", "Device number on the host, as the process saw it"},
       [](const RankLine& line) { return std::int64_t{line.summary().device_id}; }},
      time_column("step_s", "step", "Mean of the typical steps", &JobRank::step_s),
      time_column("own_s", "own time",
                  "Step without exposed communication, in which a rank may only wait for others",
                  &JobRank::own_s),
      {{"excess_s", "vs. median", CellFormat::quantity, "s",
        "Own time, difference to the median rank", true},
       [](const RankLine& line) { return line.rank.compared ? Cell(line.rank.excess_s) : Cell(); }},
      time_column("kernels_s", "kernels", "Time in which a kernel computed", &JobRank::kernels_s),
      {{"communication_s", "exposed comm.", CellFormat::quantity, "s",
        "Time in which only collectives ran, without the next column"},
       [](const RankLine& line) {
         return line.rank.compared ? Cell(line.rank.exposed_s - line.rank.wait_s.value_or(0))
                                   : Cell();
       }},
      {{"rank_wait_s", "waiting", CellFormat::quantity, "s",
        "Exposed communication until the last rank starts the collective, by its share in the "
        "exposed time of sampled collectives"},
       [](const RankLine& line) { return cell_of(line.rank.wait_s); }},
      time_column("memcpy_memset_s", "memcpy, memset",
                  "Time in which only memcpys, memsets and CUDA graphs recorded as a whole ran",
                  &JobRank::memory_s),
      time_column("idle_s", "idle", "Time in which nothing ran", &JobRank::idle_s),
      {{"compute_s", "compute", CellFormat::quantity, "s",
        "Time in which a kernel computed and no collective ran"},
       [](const RankLine& line) {
         return line.rank.compared ? Cell(line.rank.kernels_s - line.rank.hidden_s) : Cell();
       }},
      time_column("hidden_s", "hidden comm.",
                  "Time in which collectives and other kernels ran; part of the kernels",
                  &JobRank::hidden_s),
      {{"last_share", "last to start", CellFormat::fraction, "",
        "Share of the sampled collectives that this rank started last"},
       [](const RankLine& line) { return matched_cell(line, &RankArrivals::last); }},
      {{"slowest_share", "slowest", CellFormat::fraction, "",
        "Share of the steps in which this rank had the longest own time"},
       [](const RankLine& line) {
         return line.job.steps.empty() ? Cell() : Cell(line.rank.slowest_share);
       }},
      {{"step_spread", "step p95", CellFormat::ratio, "",
        "95th percentile of the rank's step times / their median"},
       [](const RankLine& line) {
         return quotient(static_cast<double>(line.summary().step_p95_ns),
                         static_cast<double>(line.summary().step_median_ns));
       }},
      {{"sm_clock_hz", "SM clock", CellFormat::quantity, "Hz", "Mean in the typical steps"},
       [](const RankLine& line) { return cell_of(line.summary().sm_clock_hz); }},
      {{"power_w", "power", CellFormat::quantity, "W", "Mean in the typical steps"},
       [](const RankLine& line) { return cell_of(line.summary().power_w); }},
      {{"step_launches", "launches", CellFormat::count, "", "Kernels of a typical step"},
       [](const RankLine& line) {
         return line.rank.compared ? Cell(line.summary().step_launches) : Cell();
       }},
  };
  return kColumns;
}

std::vector<std::size_t> by_own_time(const JobRanks& job) {
  std::vector<std::size_t> order(job.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    return job.ranks[i].compared ? job.ranks[i].own_s : -1;
  });
  return order;
}

Table lines_of(const JobRanks& job, const std::vector<std::size_t>& order,
               const std::vector<std::string>& keys) {
  ColumnsOf<RankLine> columns = keys.empty() ? rank_columns() : choose(rank_columns(), keys);
  if (keys.empty()) {  // it is the difference of two others
    std::erase_if(columns, [](const auto& column) { return column.column.key == "compute_s"; });
  }
  Table table;
  table.id = "ranks";
  table.columns = heads(columns);
  for (const std::size_t i : order) {
    table.rows.push_back(cells(columns, RankLine{job, job.ranks[i]}));
  }
  return table;
}

// A measure of all compared ranks.
struct Measure {
  const char* key;
  const char* label;
  std::function<std::optional<double>(const JobRank&)> value;
};

Measure measure(const char* key, const char* label, double JobRank::*member) {
  return {key, label, [member](const JobRank& rank) { return std::optional(rank.*member); }};
}

}  // namespace

std::vector<std::size_t> plotted_ranks(const std::vector<double>& values, std::string& chosen) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (values.size() <= kMaxPlottedRanks) return order;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return values[i]; });
  const std::size_t between = kMaxPlottedRanks - 2 * kExtremes;
  std::set<std::size_t> rows(order.begin(), order.begin() + kExtremes);
  rows.insert(order.end() - kExtremes, order.end());
  for (std::size_t i = 1; i <= between; ++i) {
    rows.insert(order[i * (order.size() - 1) / (between + 1)]);
  }
  chosen = "the " + format_whole(kExtremes) + " slowest, the " + format_whole(kExtremes) +
           " fastest, and " + format_whole(between) + " evenly between them, of " +
           format_whole(static_cast<std::int64_t>(values.size()));
  return {rows.begin(), rows.end()};
}

Table ranks_table(const JobRanks& job, const std::vector<std::string>& keys) {
  const std::vector<std::size_t> order = by_own_time(job);
  Table table = lines_of(job, order, keys);
  table.title = job.by_step ? "Typical step of each rank" : "Profile of each rank";
  Chart chart{
      .kind = ChartKind::stacked_bars,
      .label_keys = {"rank", "host"},
      .value_keys = {"kernels_s", "communication_s", "rank_wait_s", "memcpy_memset_s", "idle_s"},
      .total_key = "step_s",
      .value_kinds = {"kernels", "communication", "waiting", "memcpy_memset", "idle"}};
  if (!job.aligned) {
    chart.value_keys.erase(chart.value_keys.begin() + 2);
    chart.value_kinds.erase(chart.value_kinds.begin() + 2);
  }
  std::vector<double> own_s;
  for (const std::size_t i : order) {
    if (job.ranks[i].compared) own_s.push_back(job.ranks[i].own_s);
  }
  chart.rows = plotted_ranks(own_s, chart.selection);
  if (keys.empty() && !own_s.empty()) table.chart = std::move(chart);
  return table;
}

Table rank_parts_table(const JobRanks& job, RankOrder order) {
  std::vector<std::size_t> rows = by_own_time(job);
  std::erase_if(rows, [&](std::size_t i) { return !job.ranks[i].compared; });
  if (order == RankOrder::rank) std::ranges::sort(rows);
  std::vector<std::string> keys = {
      "rank",      "host",     "excess_s",        "step_s",      "own_s",
      "compute_s", "hidden_s", "communication_s", "rank_wait_s", "memcpy_memset_s",
      "idle_s"};
  Chart chart{.kind = ChartKind::stacked_bars,
              .label_keys = {"rank", "excess_s"},
              .value_keys = {keys.begin() + 5, keys.end()},
              .total_key = "step_s",
              .value_kinds = {"kernels", "hidden_communication", "communication", "waiting",
                              "memcpy_memset", "idle"}};
  Table table = lines_of(job, rows, keys);
  table.id = "rank_parts";
  table.title = job.by_step ? "Typical step of each rank" : "Profile of each rank";
  if (!rows.empty()) table.chart = std::move(chart);
  return table;
}

Table extreme_ranks_table(const JobRanks& job, std::size_t most) {
  std::vector<std::size_t> order = by_own_time(job);
  std::erase_if(order, [&](std::size_t i) { return !job.ranks[i].compared; });
  const std::size_t all = order.size();
  if (all > most) {
    const std::size_t slowest = most - 2;
    std::vector<std::size_t> shown(order.begin(),
                                   order.begin() + static_cast<std::ptrdiff_t>(slowest));
    if (std::ranges::find(shown, job.median_rank) == shown.end() &&
        job.median_rank != order.back()) {
      shown.push_back(job.median_rank);
    }
    shown.push_back(order.back());
    order = shown;
  }
  std::vector<std::string> keys = {
      "rank", "host", "own_s", "excess_s", "kernels_s", "communication_s", "idle_s"};
  if (job.aligned) {
    keys.insert(keys.begin() + 6, "rank_wait_s");
    keys.push_back("last_share");
  }
  Table table = lines_of(job, order, keys);
  table.id = "extreme_ranks";
  table.title = all > most ? "Slowest ranks, the median one and the fastest (of " +
                                 format_whole(static_cast<std::int64_t>(all)) + ")"
                           : "Ranks, slowest first";
  return table;
}

Table spread_table(const JobRanks& job) {
  const std::vector<Measure> measures = {
      measure("step", "step", &JobRank::step_s),
      measure("own", "own time", &JobRank::own_s),
      measure("kernels", "kernels", &JobRank::kernels_s),
      measure("exposed", "exposed communication", &JobRank::exposed_s),
      {"waiting", "of this, waiting for ranks", [](const JobRank& rank) { return rank.wait_s; }},
      measure("hidden", "hidden communication", &JobRank::hidden_s),
      measure("memcpy_memset", "memcpy, memset", &JobRank::memory_s),
      measure("idle", "idle", &JobRank::idle_s)};
  Table table;
  table.id = "spread";
  table.title = "Spread over the ranks";
  table.columns = {
      {"part", "part", CellFormat::text, "", "Part of a typical step"},
      {"min_s", "min", CellFormat::quantity, "s", "Smallest value of a rank"},
      {"p5_s", "5 %", CellFormat::quantity, "s", "5th percentile"},
      {"median_s", "median", CellFormat::quantity, "s", "Median"},
      {"p95_s", "95 %", CellFormat::quantity, "s", "95th percentile"},
      {"max_s", "max", CellFormat::quantity, "s", "Largest value of a rank"},
      {"max_rank", "max on rank", CellFormat::count, "", "Rank with the largest value"},
  };
  for (const Measure& each : measures) {
    std::vector<double> values;
    std::optional<std::pair<double, int>> largest;
    for (const JobRank& rank : job.ranks) {
      const std::optional<double> value = rank.compared ? each.value(rank) : std::nullopt;
      if (!value) continue;
      values.push_back(*value);
      if (!largest || *value > largest->first) largest = {*value, rank.rank};
    }
    if (values.empty()) continue;
    table.rows.push_back({std::string(each.label), quantile(values, 0), quantile(values, 0.05),
                          quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1),
                          std::int64_t{largest->second}});
  }
  return table;
}

Table hosts_table(const JobRanks& job) {
  struct Host {
    std::vector<double> own_s;
    std::int64_t slow = 0;
    const JobRank* slowest = nullptr;
  };
  std::map<std::string, Host> hosts;
  for (const JobRank& rank : job.ranks) {
    if (!rank.compared) continue;
    Host& host = hosts[job.summaries[rank.index].host];
    host.own_s.push_back(rank.own_s);
    host.slow += rank.slow ? 1 : 0;
    if (host.slowest == nullptr || rank.own_s > host.slowest->own_s) host.slowest = &rank;
  }
  Table table;
  table.id = "hosts";
  table.title = "Hosts, slowest first";
  table.columns = {
      {"host", "host", CellFormat::text, "", "Name of the host"},
      {"ranks", "ranks", CellFormat::count, "", "Ranks on the host whose times are compared"},
      {"own_s", "own time", CellFormat::quantity, "s", "Median over its ranks"},
      {"excess_s", "vs. median", CellFormat::quantity, "s",
       "Difference to the median rank of the job", true},
      {"slow_ranks", "slow ranks", CellFormat::count, "", "Ranks that hold the job up"},
      {"slowest_rank", "slowest rank", CellFormat::count, "", "Rank with the longest own time"},
  };
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, host] : hosts) order.emplace_back(-median(host.own_s), name);
  std::ranges::sort(order);
  for (const auto& [negative_s, name] : order) {
    const Host& host = hosts[name];
    table.rows.push_back({text_cell(name), static_cast<std::int64_t>(host.own_s.size()),
                          -negative_s, -negative_s - job.own_s, host.slow,
                          std::int64_t{host.slowest->rank}});
  }
  return table;
}

Table job_steps_table(const JobRanks& job) {
  Table table;
  table.id = "job_steps";
  table.title = "Steps over the run";
  table.columns = {
      {"step", "step", CellFormat::count, "", "Number of the step in the profiles, from 0"},
      {"ranks", "ranks", CellFormat::count, "", "Ranks with this step"},
      {"step_s", "step", CellFormat::quantity, "s", "Step time of the median rank"},
      {"max_step_s", "longest step", CellFormat::quantity, "s", "Longest step time of a rank"},
      {"own_s", "own time, median", CellFormat::quantity, "s", "Own time of the median rank"},
      {"max_own_s", "own time, slowest", CellFormat::quantity, "s", "Longest own time of a rank"},
      {"slowest_rank", "slowest rank", CellFormat::count, "", "Rank with the longest own time"},
  };
  table.chart = Chart{.kind = ChartKind::lines,
                      .label_keys = {"step"},
                      .value_keys = {"step_s", "own_s", "max_own_s"}};
  for (const JobStep& step : job.steps) {
    table.rows.push_back({step.number, step.ranks, step.median_s, step.max_s, step.own_median_s,
                          step.own_max_s, std::int64_t{step.slowest_rank}});
  }
  return table;
}

Table skew_table(const JobRanks& job) {
  Table table;
  table.id = "arrival_skew";
  table.title = "Collectives: waiting for ranks and transfer";
  table.columns = {
      {"name", "kernel", CellFormat::text, "", "Name of the kernel"},
      {"launches", "launches", CellFormat::count, "", "On the rank with most, in its profile"},
      {"matched", "sampled", CellFormat::count, "",
       "Collectives in typical steps whose starts are known on several ranks"},
      {"ranks", "ranks", CellFormat::count, "", "Mean number of ranks that were matched"},
      {"spread_s", "arrival skew", CellFormat::quantity, "s",
       "Mean time from the first rank's start to the last one's"},
      {"wait_s", "mean wait", CellFormat::quantity, "s",
       "Mean time from a rank's start to the last one's"},
      {"transfer_s", "transfer", CellFormat::quantity, "s",
       "Mean time from the last rank's start to the first end"},
      {"last_rank", "last", CellFormat::count, "", "Rank that was last to start most often"},
      {"last_share", "share", CellFormat::fraction, "", "Share of the collectives in which it was"},
  };
  for (const CollectiveSkew& skew : job.arrivals.collectives) {
    table.rows.push_back({skew.name.substr(0, skew.name.find('(')), skew.launches, skew.matched,
                          skew.ranks, skew.spread_s, skew.wait_s, skew.transfer_s,
                          std::int64_t{job.ranks[skew.last_rank].rank}, skew.last_share});
  }
  return table;
}

Table clocks_table(const JobRanks& job) {
  Table table;
  table.id = "clocks";
  table.title = "Clocks";
  table.columns = {
      {"rank", "rank", CellFormat::count, "", "Rank in the job"},
      {"host", "host", CellFormat::text, "", "Host of the rank"},
      {"offset_s", "offset", CellFormat::quantity, "s",
       "Added to its clock to get the reference clock", true},
      {"drift", "drift", CellFormat::quantity, "s/s", "Change of the offset per second"},
      {"scatter_s", "scatter", CellFormat::quantity, "s",
       "Median distance of the collectives' ends from the fit"},
      {"collectives", "collectives", CellFormat::count, "", "Common collectives that were used"},
      {"through_rank", "fitted to", CellFormat::count, "", "Rank that it was aligned with"},
      {"obstacle", "not aligned because", CellFormat::text, "", "Why the clock is not aligned"},
  };
  for (const JobRank& rank : job.ranks) {
    const RankClock& clock = job.clocks.ranks[rank.index];
    std::vector<Cell> cells = {std::int64_t{rank.rank}, text_cell(job.summaries[rank.index].host)};
    if (clock.shift) {
      append(cells, {1e-9 * static_cast<double>(clock.shift->offset_ns), clock.shift->drift,
                     1e-9 * clock.scatter_ns, static_cast<std::int64_t>(clock.events),
                     std::int64_t{job.ranks[clock.through].rank}, Cell()});
    } else {
      append(cells, {Cell(), Cell(), Cell(), Cell(), Cell(), text_cell(clock.obstacle)});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table profiles_table(const JobRanks& job) {
  Table table;
  table.id = "profiles";
  table.title = "Profiles";
  table.columns = {
      {"rank", "rank", CellFormat::count, "", "Rank in the job"},
      {"host", "host", CellFormat::text, "", "Host of the rank"},
      {"pid", "PID", CellFormat::count, "", "Process ID on that host"},
      {"device_name", "GPU", CellFormat::text, "", "Name of the GPU"},
      {"state", "state", CellFormat::text, "", "Complete, or interrupted"},
      {"start", "start (UTC)", CellFormat::text, "", "First activity, on the clock of the host"},
      {"steps", "steps", CellFormat::count, "", "Steps of the profile"},
      {"typical_steps", "typical", CellFormat::count, "", "Steps that times are means of"},
      {"kernels", "kernels", CellFormat::count, "", "Kernels of the profile"},
      {"file", "file", CellFormat::text, "", "File that was analyzed"},
  };
  for (const RankSummary& rank : job.summaries) {
    table.rows.push_back(
        {std::int64_t{rank.rank}, text_cell(rank.host), rank.pid, text_cell(rank.device),
         std::string(rank.complete ? "complete" : "interrupted"), format_utc(rank.start_utc_ns),
         rank.steps, rank.typical_steps, rank.kernels, rank.file});
  }
  return table;
}

std::string problem_text(const JobProblem& problem) {
  std::string text = ranks_text(problem.ranks);
  if (text.empty()) return problem.text;
  text[0] = 'R';
  return text + ": " + problem.text;
}

Table problems_table(const JobRanks& job) {
  Table table;
  table.id = "problems";
  table.title = "Incomplete or unequal, by kind";
  table.columns = {{"kind", "kind", CellFormat::text, "", "Kind of the problem"},
                   {"ranks", "ranks", CellFormat::count, "", "Number of ranks concerned"},
                   {"problem", "problem", CellFormat::text, "", "What is missing or unequal"}};
  for (const JobProblem& problem : job.problems) {
    table.rows.push_back(
        {std::string(to_string(problem.kind)),
         problem.ranks.empty() ? Cell() : Cell(static_cast<std::int64_t>(problem.ranks.size())),
         problem_text(problem)});
  }
  return table;
}

}  // namespace mansard::analysis
