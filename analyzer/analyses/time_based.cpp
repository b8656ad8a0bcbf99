// SPDX-License-Identifier: Apache-2.0
// The time-based roofline (arXiv 2009.04598): what a launch computes and moves, the time each of
// these takes at the ceilings, and the time that was measured.
#include <algorithm>

#include "analyzer/row_totals.h"
#include "analyzer/wave_quantisation.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

// The tier whose bytes take longest.
std::pair<std::optional<MemoryLevel>, double> slowest_tier(const SpeedOfLight& limit) {
  std::pair<std::optional<MemoryLevel>, double> slowest{std::nullopt, 0};
  for (const auto& [level, time_s] : limit.bandwidth_s) {
    if (time_s > slowest.second) slowest = {level, time_s};
  }
  return slowest;
}

// A kernel shorter than a launch waits for the next one to be launched, whatever it does.
std::string_view region(double compute_s, double bandwidth_s, double launch_s, double time_s) {
  if (!(compute_s > 0) && !(bandwidth_s > 0)) return "";
  if (std::max({compute_s, bandwidth_s, time_s}) < launch_s) return "overhead";
  return compute_s >= bandwidth_s ? "compute" : "bandwidth";
}

std::optional<Waves> waves_of_row(const RunAnalysis& run, const KernelRow& row) {
  if (row.target != Target::cuda || row.launch_indices.empty()) return {};
  const KernelRecord& kernel = run.profile.kernels[row.launch_indices.front()];
  for (const GpuRecord& gpu : run.profile.gpus) {
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
  for (const KernelRow& row : run.rows) {
    if (row.launches <= 0) continue;
    const double launches = static_cast<double>(row.launches);
    const auto [tier, bandwidth_s] = slowest_tier(row.limit);
    const double compute_s = row.limit.compute_s / launches;
    const double tier_s = bandwidth_s / launches;
    const double launch_s = row.limit.launch_s / launches;
    const double time_s = row.time_s / launches;
    const double longer_s = std::max(compute_s, tier_s);
    // (T, T MB/AI) or (T AI/MB, T): MB/AI is bandwidth time over compute time.
    const auto in_plane = [&](double of_s) {
      return longer_s > 0 ? positive(time_s * of_s / longer_s) : Cell();
    };
    const std::string_view where = region(compute_s, tier_s, launch_s, time_s);
    const std::optional<Waves> waves = waves_of_row(run, row);
    table.rows.push_back(
        {row.short_name, row.operation_class, row.launches,
         positive(row.work.total_flop() / launches),
         tier ? Cell(row.work.bytes.at(*tier) / launches) : Cell(),
         tier ? Cell(std::string(info(*tier).label)) : Cell(), positive(compute_s),
         positive(tier_s), positive(launch_s), where.empty() ? Cell() : Cell(std::string(where)),
         time_s, in_plane(compute_s), in_plane(tier_s), waves ? Cell(waves->waves) : Cell(),
         waves ? Cell(waves->tail_share) : Cell()});
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
  std::int64_t launches = 0;
};

Sums sums_of(const RunAnalysis& run) {
  Sums sums;
  for (const KernelRow& row : run.rows) {
    const double bandwidth_s = slowest_tier(row.limit).second;
    const double longer_s = std::max(row.limit.compute_s, bandwidth_s);
    sums.compute_s += row.limit.compute_s;
    sums.bandwidth_s += bandwidth_s;
    sums.ideal_s += longer_s;
    sums.launch_s += row.limit.launch_s;
    sums.time_s += row.time_s;
    sums.launches += row.launches;
    if (!(longer_s > 0)) sums.unknown_s += row.time_s;
    const std::string_view where =
        region(row.limit.compute_s, bandwidth_s, row.limit.launch_s, row.time_s);
    if (where == "overhead") sums.overhead_s += row.time_s;
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

}  // namespace mansard
