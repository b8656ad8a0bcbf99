// SPDX-License-Identifier: Apache-2.0
// The time-based roofline (arXiv 2009.04598): FLOPs F and bytes B of a launch, their times F / P
// and B / BW at the ceilings, and the measured time T.
#include <algorithm>

#include "analyzer/kernel_columns.h"
#include "analyzer/mean_launch.h"
#include "analyzer/steps/run_unit.h"
#include "analyzer/wave_quantization.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

std::optional<Waves> waves_of_row(const RunAnalysis& run, const KernelRow& row) {
  if (row.kind != RowKind::kernel || row.launch_indices.empty()) return {};
  const store::KernelRecord& kernel = run.profile.kernels[row.launch_indices.front()];
  for (const store::GpuRecord& gpu : run.profile.gpus) {
    if (gpu.id == kernel.device_id) return waves_of(kernel, gpu);
  }
  return {};
}

// The mean launch of a row.
struct LaunchOfRow {
  const KernelRow& row;
  MeanLaunch mean;
  std::optional<Waves> waves;
};

ColumnsOf<LaunchOfRow> mean_launch_columns() {
  using enum CellFormat;
  using Launch = LaunchOfRow;
  return {
      {{"flop", "FLOP", quantity, "FLOP", "Compute complexity F"},
       [](const Launch& launch) { return positive(launch.mean.flop); }},
      {{"bytes", "bytes", quantity, "B",
        "Bandwidth complexity B, at the memory tier with the longest B / BW"},
       [](const Launch& launch) { return positive(launch.mean.bytes); }},
      {{"tier", "tier", text, "", "Memory tier with the longest B / BW"},
       [](const Launch& launch) {
         return launch.mean.tier ? Cell(std::string(info(*launch.mean.tier).label)) : Cell();
       }},
      {{"compute_s", "compute", quantity, "s", "F / P of the busiest compute unit"},
       [](const Launch& launch) { return positive(launch.mean.compute_s); }},
      {{"bandwidth_s", "bandwidth", quantity, "s", "B / BW at this tier"},
       [](const Launch& launch) { return positive(launch.mean.bandwidth_s); }},
      {{"launch_s", "launch", quantity, "s", "Launch time of the machine; none in a CUDA graph"},
       [](const Launch& launch) { return positive(launch.mean.launch_s); }},
      {{"region", "region", text, "", "Compute-, bandwidth- or overhead-bound"},
       [](const Launch& launch) { return text_cell(std::string(launch.mean.region)); }},
      {{"time_s", "measured", quantity, "s", "Mean measured time T"},
       [](const Launch& launch) { return launch.mean.time_s; }},
      {{"time_plane_x_s", "plane x", quantity, "s",
        "Compute time of the measured point: F / P, scaled so that the longer of x and y is T"},
       [](const Launch& launch) { return positive(launch.mean.measured_compute_s); }},
      {{"time_plane_y_s", "plane y", quantity, "s",
        "Bandwidth time of the measured point: B / BW, with the same scale"},
       [](const Launch& launch) { return positive(launch.mean.measured_bandwidth_s); }},
      {{"waves", "waves", ratio, "", "Blocks / blocks that fit on the GPU at once"},
       [](const Launch& launch) { return launch.waves ? Cell(launch.waves->waves) : Cell(); }},
      {{"tail", "tail effect", fraction, "",
        "Maximum share of T lost in the last partial wave, if all blocks take the same time"},
       [](const Launch& launch) { return launch.waves ? Cell(launch.waves->tail_share) : Cell(); }},
  };
}

Table mean_launch_table(const RunAnalysis& run) {
  const bool by_step = has_step_times(run);
  const KernelColumns of_row =
      choose(kernel_columns(), {"name", "class", by_step ? "step_launches" : "launches"});
  const ColumnsOf<LaunchOfRow> of_launch = mean_launch_columns();
  Table table{"time_based", "Mean launch of each kernel", heads(of_row), {}};
  table.columns.back().description += "; all other values are per launch";
  append(table.columns, heads(of_launch));
  for (const std::size_t i : rows_in_order(run)) {
    const KernelRow& row = run.rows[i];
    std::vector<Cell> line = cells(of_row, KernelEntry(row));
    append(line, cells(of_launch, {row, mean_launch(row), waves_of_row(run, row)}));
    table.add(std::move(line), {.row = i});
  }
  return table;
}

// Per unit of the run, or over the whole run.
struct TimeSums {
  double compute_s = 0;
  double bandwidth_s = 0;
  double ideal_s = 0;  // sum over launches of max(F / P, B / BW)
  double launch_s = 0;
  double time_s = 0;
  double overhead_s = 0;  // time of overhead-bound launches
  double tail_s = 0;
  double unknown_s = 0;
};

TimeSums sums_of(const RunAnalysis& run, const RunUnit* unit) {
  TimeSums sums;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.launches <= 0) continue;
    const MeanLaunch launch = mean_launch(row);
    const double launches = unit != nullptr ? unit->launches(i) : static_cast<double>(row.launches);
    const double time_s = unit != nullptr ? unit->duration_s(i) : row.time_s;
    sums.compute_s += launches * launch.compute_s;
    sums.bandwidth_s += launches * launch.bandwidth_s;
    sums.ideal_s += launches * std::max(launch.compute_s, launch.bandwidth_s);
    sums.launch_s += launches * launch.launch_s;
    sums.time_s += time_s;
    if (launch.region.empty()) sums.unknown_s += time_s;
    if (launch.region == "overhead") sums.overhead_s += time_s;
    if (const std::optional<Waves> waves = waves_of_row(run, row)) {
      sums.tail_s += time_s * waves->tail_share;
    }
  }
  return sums;
}

Table sums_table(const TimeSums& sums, const std::string& id, const std::string& title) {
  Table table;
  table.id = id;
  table.title = title;
  table.columns = {
      {"compute_s", "compute", CellFormat::quantity, "s", "Sum of F / P"},
      {"bandwidth_s", "bandwidth", CellFormat::quantity, "s",
       "Sum of B / BW, each kernel at its slowest tier"},
      {"launch_s", "launches", CellFormat::quantity, "s", "Launches x launch time"},
      {"ideal_s", "ideal", CellFormat::quantity, "s", "Sum over kernels of max(F / P, B / BW)"},
      {"time_s", "measured", CellFormat::quantity, "s", "Measured time of all kernels"},
      {"unknown_s", "unknown", CellFormat::quantity, "s", "Time of kernels with unknown work"},
      {"overhead_s", "overhead-bound", CellFormat::quantity, "s",
       "Time of kernels that are shorter than their launch"},
      {"tail_s", "tail effect", CellFormat::quantity, "s",
       "Maximum time lost in last partial waves"},
  };
  table.rows.push_back({positive(sums.compute_s), positive(sums.bandwidth_s),
                        positive(sums.launch_s), positive(sums.ideal_s), sums.time_s,
                        sums.unknown_s, sums.overhead_s, sums.tail_s});
  return table;
}

Finding time_based(const RunAnalysis& run) {
  const RunUnit unit(run);
  const TimeSums sums = sums_of(run, &unit);
  const bool by_step = unit.name() == "step";
  const std::string per = "per " + std::string(unit.name());
  Finding finding;
  finding.id = "time_based";
  finding.title = "Time-based roofline";
  finding.summary = "Measured kernel time " + per + ": " + format_si(sums.time_s, "s") +
                    "; SOL time of the kernels with known work: " + format_si(sums.ideal_s, "s") +
                    "; overhead-bound: " + format_si(sums.overhead_s, "s") +
                    "; tail effect: at most " + format_si(sums.tail_s, "s") + ".";
  finding.tables = {
      sums_table(sums, by_step ? "time_based_per_step" : "time_based_step", "All kernels, " + per),
      mean_launch_table(run)};
  if (by_step) {
    finding.tables.push_back(
        sums_table(sums_of(run, nullptr), "time_based_step", "All kernels of the whole profile"));
  }
  return finding;
}

}  // namespace

void register_time_based(AnalysisRegistry& registry) {
  registry.add({.name = "time_based",
                .summary = "Time-based roofline: compute, bandwidth, launch time; tail effect",
                .order = 60,
                .run = time_based});
}

}  // namespace mansard::analysis
