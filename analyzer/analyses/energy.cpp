// SPDX-License-Identifier: Apache-2.0
// The energy that the GPUs took, of the recording, of a step and of a token.
#include <limits>

#include "analyzer/device_energy.h"
#include "analyzer/row_totals.h"
#include "analyzer/steps/step_ranges.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

std::string gpu_name(const RunAnalysis& run, std::int32_t id) {
  for (const GpuRecord& gpu : run.profile.gpus) {
    if (gpu.id == id) return gpu.name;
  }
  return "";
}

StepRanges steps_of(const RunAnalysis& run) {
  StepRanges steps = find_step_ranges(run.profile, run.options.steps_range);
  // One of a kind that was not asked for need be no step.
  return run.options.steps_range.empty() && steps.ranges.size() < 2 ? StepRanges{} : steps;
}

struct StepEnergy {
  double energy_j = 0;  // of all GPUs, per step; 0: not known
  double power_w = 0;
};

// Steps are mostly shorter than the sampling period. So all of them count together, by the mean
// power from the first step's start to the last one's end.
StepEnergy energy_of_steps(const Profile& profile, const StepRanges& range) {
  if (range.empty()) return {};
  const std::int64_t begin_ns = range.ranges.front().start_ns;
  const std::int64_t end_ns = range.ranges.back().end_ns;
  StepEnergy out;
  for (const DeviceEnergy& e : device_energy(profile, begin_ns, end_ns)) {
    if (e.covered_s > 0) out.power_w += e.energy_j / e.covered_s;
  }
  out.energy_j = out.power_w * 1e-9 * static_cast<double>(end_ns - begin_ns) /
                 static_cast<double>(range.ranges.size());
  return out;
}

Table device_table(const RunAnalysis& run, const std::vector<DeviceEnergy>& all) {
  Table table{"energy", "Energy", {}, {}};
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA's number in the recorded process"},
      {"name", "name", CellFormat::text, "", "As the driver calls it"},
      {"energy_j", "energy", CellFormat::quantity, "J", "Sampled power over time"},
      {"covered_s", "time", CellFormat::quantity, "s", "For which power was sampled"},
      {"power_mean_w", "power", CellFormat::quantity, "W", "Energy over time"},
      {"idle_fraction", "idle", CellFormat::fraction, "", "Of that time, nothing ran on this GPU"},
      {"idle_energy_j", "energy while idle", CellFormat::quantity, "J",
       "Each interval's energy in proportion to its idle time"},
      {"power_kind", "power is", CellFormat::text, "", "What the driver tells"},
      {"samples", "samples", CellFormat::count, "", "Of power"}};
  table.chart =
      Chart{.kind = ChartKind::bars, .label_keys = {"device"}, .value_keys = {"energy_j"}};
  for (const DeviceEnergy& e : all) {
    table.rows.push_back({std::int64_t{e.device_id}, gpu_name(run, e.device_id), e.energy_j,
                          e.covered_s, quotient(e.energy_j, e.covered_s),
                          quotient(e.idle_s, e.covered_s), e.idle_energy_j,
                          e.power_is_mean ? "mean of up to a second" : "instantaneous",
                          static_cast<std::int64_t>(e.samples)});
  }
  return table;
}

Table step_table(const StepRanges& range, const StepEnergy& step, double tokens) {
  Table table{"energy_per_step", "Energy of a step", {}, {}};
  table.columns = {
      {"steps", "steps", CellFormat::text, "", "Beginning of their ranges' names"},
      {"count", "number", CellFormat::count, "", "Of steps"},
      {"energy_j", "energy of a step", CellFormat::quantity, "J", "Of all GPUs together"},
      {"power_w", "power", CellFormat::quantity, "W", "Of all GPUs, from first step to last"},
      {"token_energy_j", "energy of a token", CellFormat::quantity, "J",
       "With the tokens of a step as given"}};
  table.rows.push_back({range.kind, static_cast<std::int64_t>(range.ranges.size()),
                        positive(step.energy_j), positive(step.power_w),
                        tokens > 0 && step.energy_j > 0 ? Cell(step.energy_j / tokens) : Cell()});
  return table;
}

Finding energy(const RunAnalysis& run) {
  Finding finding;
  finding.id = "energy";
  finding.title = "Energy";
  const std::vector<DeviceEnergy> all =
      device_energy(run.profile, std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::int64_t>::max());
  if (all.empty()) {
    finding.summary = "Power was not sampled, or not twice on any GPU, so the energy is not known.";
    return finding;
  }
  double energy_j = 0;
  double idle_j = 0;
  for (const DeviceEnergy& e : all) {
    energy_j += e.energy_j;
    idle_j += e.idle_energy_j;
  }
  finding.summary =
      (all.size() == 1 ? "The GPU took " : "The GPUs took ") + format_si(energy_j, "J") + ", " +
      format_percent(energy_j > 0 ? idle_j / energy_j : 0) + " of it while nothing ran.";
  if (!run.profile.counter_readings.empty()) {
    finding.summary += " Counters were read, which takes time and energy of its own.";
  }
  finding.tables.push_back(device_table(run, all));

  const StepRanges range = steps_of(run);
  if (range.empty()) {
    finding.summary += run.options.steps_range.empty()
                           ? " There are no steps to divide it by; --steps-range names them."
                           : " No range's name begins with '" + run.options.steps_range + "'.";
    return finding;
  }
  const StepEnergy step = energy_of_steps(run.profile, range);
  if (step.energy_j > 0) {
    finding.summary += " A step takes " + format_si(step.energy_j, "J");
    if (run.options.tokens_per_step > 0) {
      finding.summary += ", a token " + format_si(step.energy_j / run.options.tokens_per_step, "J");
    }
    finding.summary += ".";
  } else {
    finding.summary += " Between the first step and the last, power was not sampled twice.";
  }
  finding.tables.push_back(step_table(range, step, run.options.tokens_per_step));
  return finding;
}

}  // namespace

void register_energy(AnalysisRegistry& registry) {
  registry.add({.name = "energy",
                .summary = "Energy of the GPUs: of the recording, a step and a token",
                .order = 55,
                .run = energy});
}

}  // namespace mansard
