// SPDX-License-Identifier: Apache-2.0
// The time-based roofline (arXiv 2009.04598): what a launch computes and moves, the time each of
// these takes at the ceilings, and the time that was measured.
#include <algorithm>

#include "analyzer/mean_launch.h"
#include "analyzer/row_totals.h"
#include "analyzer/wave_quantisation.h"
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

Table kernel_table(const RunAnalysis& run) {
  Table table;
  table.id = "time_based";
  table.title = "A launch of each kernel";
  table.columns = {
      {"name", "kernel", CellFormat::text, "", "Short name"},
      {"class", "class", CellFormat::text, "", "What it does"},
      {"launches", "launches", CellFormat::count, "", "All others are of one launch"},
      {"flop", "FLOP", CellFormat::quantity, "FLOP", "Compute complexity"},
      {"bytes", "bytes", CellFormat::quantity, "B",
       "Bandwidth complexity, at the tier whose bytes take longest"},
      {"tier", "tier", CellFormat::text, "", "That tier"},
      {"compute_s", "compute", CellFormat::quantity, "s", "FLOP over the ceilings"},
      {"bandwidth_s", "bandwidth", CellFormat::quantity, "s", "Bytes over that tier's bandwidth"},
      {"launch_s", "launch", CellFormat::quantity, "s", "The cheapest launch; none within a graph"},
      {"region", "region", CellFormat::text, "", "Compute, bandwidth or overhead bound"},
      {"time_s", "measured", CellFormat::quantity, "s", "Mean"},
      {"time_plane_x_s", "plane x", CellFormat::quantity, "s",
       "The measured point in the time plane: its compute time, scaled to the measured"},
      {"time_plane_y_s", "plane y", CellFormat::quantity, "s", "The same of its bandwidth time"},
      {"waves", "waves", CellFormat::ratio, "", "Blocks over those the GPU holds at once"},
      {"tail", "tail", CellFormat::fraction, "",
       "Of its time at most lost in a last wave that is not full, if blocks take the same time"},
  };
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.launches <= 0) continue;
    const MeanLaunch launch = mean_launch(row);
    const std::optional<Waves> waves = waves_of_row(run, row);
    table.add(
        {row.short_name, row.operation_class, row.launches, positive(launch.flop),
         positive(launch.bytes), launch.tier ? Cell(std::string(info(*launch.tier).label)) : Cell(),
         positive(launch.compute_s), positive(launch.bandwidth_s), positive(launch.launch_s),
         launch.region.empty() ? Cell() : Cell(std::string(launch.region)), launch.time_s,
         positive(launch.measured_compute_s), positive(launch.measured_bandwidth_s),
         waves ? Cell(waves->waves) : Cell(), waves ? Cell(waves->tail_share) : Cell()},
        {.row = i});
  }
  return table;
}

struct Sums {
  double compute_s = 0;
  double bandwidth_s = 0;
  double ideal_s = 0;  // each launch by its own larger one
  double launch_s = 0;
  double time_s = 0;
  double overhead_s = 0;  // of launches in the overhead region
  double tail_s = 0;
  double unknown_s = 0;
};

Sums sums_of(const RunAnalysis& run) {
  Sums sums;
  for (const KernelRow& row : run.rows) {
    if (row.launches <= 0) continue;
    const MeanLaunch launch = mean_launch(row);
    const auto launches = static_cast<double>(row.launches);
    sums.compute_s += row.limit.compute_s;
    sums.bandwidth_s += launches * launch.bandwidth_s;
    sums.ideal_s += launches * std::max(launch.compute_s, launch.bandwidth_s);
    sums.launch_s += row.limit.launch_s;
    sums.time_s += row.time_s;
    if (launch.region.empty()) sums.unknown_s += row.time_s;
    if (launch.region == "overhead") sums.overhead_s += row.time_s;
    if (const std::optional<Waves> waves = waves_of_row(run, row)) {
      sums.tail_s += row.time_s * waves->tail_share;
    }
  }
  return sums;
}

Table run_table(const Sums& sums) {
  Table table;
  table.id = "time_based_step";
  table.title = "All kernels";
  table.columns = {
      {"compute_s", "compute", CellFormat::quantity, "s", "All FLOPs over their ceilings"},
      {"bandwidth_s", "bandwidth", CellFormat::quantity, "s", "All bytes, at the slowest tiers"},
      {"launch_s", "launches", CellFormat::quantity, "s", "All launches, one after the other"},
      {"ideal_s", "ideal", CellFormat::quantity, "s",
       "Kernel by kernel the longer of compute and bandwidth"},
      {"time_s", "measured", CellFormat::quantity, "s", "Time of the kernels"},
      {"unknown_s", "not known", CellFormat::quantity, "s", "Of kernels whose work is not known"},
      {"overhead_s", "overhead-bound", CellFormat::quantity, "s",
       "Of kernels that take less than their launch"},
      {"tail_s", "tails", CellFormat::quantity, "s",
       "Lost at most in last waves that are not full"},
  };
  table.rows.push_back({positive(sums.compute_s), positive(sums.bandwidth_s),
                        positive(sums.launch_s), positive(sums.ideal_s), sums.time_s,
                        sums.unknown_s, sums.overhead_s, sums.tail_s});
  return table;
}

Finding time_based(const RunAnalysis& run) {
  const Sums sums = sums_of(run);
  Finding finding;
  finding.id = "time_based";
  finding.title = "Time-based roofline";
  finding.summary = "Of " + format_si(sums.time_s, "s") +
                    " of kernels, those whose work is known could take " +
                    format_si(sums.ideal_s, "s") + "; " + format_si(sums.overhead_s, "s") +
                    " are of kernels shorter than their launch, and tails of waves cost at most " +
                    format_si(sums.tail_s, "s") + ".";
  finding.tables = {run_table(sums), kernel_table(run)};
  return finding;
}

}  // namespace

void register_time_based(AnalysisRegistry& registry) {
  registry.add({.name = "time_based",
                .summary = "Times that FLOPs, bytes and launches take, against the measured; tails",
                .order = 60,
                .run = time_based});
}

}  // namespace mansard::analysis
