// SPDX-License-Identifier: Apache-2.0
// The energy that the GPUs took, of the recording, of a step and of a token.
#include <algorithm>
#include <limits>
#include <map>

#include "analyzer/device_energy.h"
#include "analyzer/kernel_columns.h"
#include "analyzer/power_model.h"
#include "analyzer/steps/typical_step.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

std::string gpu_name(const RunAnalysis& run, std::int32_t id) {
  for (const store::GpuRecord& gpu : run.profile.gpus) {
    if (gpu.id == id) return gpu.name;
  }
  return "";
}

struct StepEnergy {
  double energy_j = 0;  // of one GPU, per step; 0: not known
  double power_w = 0;
  TypicalStep step;
};

// Steps are mostly shorter than the sampling period: the mean power within all typical steps, times
// the step time.
std::optional<StepEnergy> energy_of_step(const RunAnalysis& run) {
  const std::vector<DeviceSteps>& devices = step_times(run);
  StepEnergy out;
  out.step = typical_step(run, devices);
  if (out.step.whole || out.step.typical == 0) return std::nullopt;
  if (const std::optional<double> power_w = state_in_typical_steps(run.profile, devices).power_w) {
    out.power_w = *power_w;
    out.energy_j = *power_w * out.step.step_s;
  }
  return out;
}

Table device_table(const RunAnalysis& run, const std::vector<DeviceEnergy>& all) {
  Table table{"energy", "Energy", {}, {}};
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA's number in the recorded process"},
      {"name", "name", CellFormat::text, "", "As the driver calls it"},
      {"energy_j", "energy", CellFormat::quantity, "J", "Sampled power over time"},
      {"covered_s", "time", CellFormat::quantity, "s", "For which power was sampled"},
      {"power_mean_w", "power", CellFormat::quantity, "W",
       "Energy over time; of at least five samples"},
      {"idle_fraction", "idle", CellFormat::fraction, "",
       "Of that time, nothing ran on this GPU; not available where counters were read"},
      {"idle_energy_j", "energy while idle", CellFormat::quantity, "J",
       "Each interval's energy in proportion to its idle time"},
      {"power_kind", "power is", CellFormat::text, "", "What the driver tells"},
      {"samples", "samples", CellFormat::count, "", "Of power"}};
  table.chart =
      Chart{.kind = ChartKind::bars, .label_keys = {"device"}, .value_keys = {"energy_j"}};
  for (const DeviceEnergy& e : all) {
    table.rows.push_back(
        {std::int64_t{e.device_id}, gpu_name(run, e.device_id), e.energy_j, e.covered_s,
         e.samples < kLeastStateSamples ? Cell() : quotient(e.energy_j, e.covered_s),
         run.disturbed.any() ? Cell() : quotient(e.idle_s, e.covered_s),
         run.disturbed.any() ? Cell() : Cell(e.idle_energy_j),
         e.power_is_mean ? "mean of up to a second" : "instantaneous",
         static_cast<std::int64_t>(e.samples)});
  }
  return table;
}

Table step_table(const StepEnergy& energy, double tokens) {
  Table table{"energy_per_step", "Energy per step", {}, {}};
  table.columns = {
      {"steps", "steps", CellFormat::text, "", "How they were found"},
      {"count", "number", CellFormat::count, "", "Of typical steps, of all GPUs"},
      {"step_s", "step time", CellFormat::quantity, "s", "Mean of the typical steps"},
      {"energy_j", "energy", CellFormat::quantity, "J", "Per step and GPU: power times step time"},
      {"power_w", "power", CellFormat::quantity, "W", "Of one GPU, mean within typical steps"},
      {"token_energy_j", "energy per token", CellFormat::quantity, "J",
       "Of all GPUs, with the tokens per step as given"}};
  const double all_j = energy.energy_j * static_cast<double>(energy.step.devices);
  table.rows.push_back({energy.step.how, static_cast<std::int64_t>(energy.step.typical),
                        energy.step.step_s, positive(energy.energy_j), positive(energy.power_w),
                        tokens > 0 && energy.energy_j > 0 ? Cell(all_j / tokens) : Cell()});
  return table;
}

// At the power limit; std::nullopt otherwise.
std::optional<Table> class_table(const RunAnalysis& run) {
  const RunUnit unit(run);
  const std::optional<UnitEnergy> energy = PowerModel(run, unit).energy();
  if (!energy) return std::nullopt;
  struct Sum {
    double time_s = 0;
    double energy_j = 0;
  };
  std::map<OperationClass, Sum> classes;
  double busy_s = 0;
  double all_j = energy->idle_j;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    Sum& sum = classes[run.rows[i].operation_class];
    sum.time_s += unit.time_s(i);
    sum.energy_j += energy->row_j[i];
    busy_s += unit.time_s(i);
    all_j += energy->row_j[i];
  }
  classes["idle"] = {std::max(0.0, unit.time_s() - busy_s), energy->idle_j};
  std::vector<std::pair<OperationClass, Sum>> sorted(classes.begin(), classes.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.energy_j > b.second.energy_j;
  });
  Table table{"energy_by_class", "Energy per step by class of kernel, modeled", {}, {}};
  table.columns = {
      kernel_head("class"),
      {"energy_j", "energy", CellFormat::quantity, "J",
       "Modeled: measured power of each class alone; GEMMs use what is left of the sampled power"},
      {"share", "share", CellFormat::fraction, "", "Energy over that of the step"},
      kernel_head("time_s", "Per step"),
      {"power_w", "power", CellFormat::quantity, "W",
       "Energy over time; only the mean of all classes is at the limit"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"class"}, .value_keys = {"energy_j"}};
  for (const auto& [operation_class, sum] : sorted) {
    if (!(sum.time_s > 0)) continue;
    table.add({operation_class.name(), sum.energy_j, quotient(sum.energy_j, all_j), sum.time_s,
               quotient(sum.energy_j, sum.time_s)},
              {.operation_class = operation_class});
  }
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
  finding.summary = (all.size() == 1 ? "The GPU used " : "The GPUs used ") +
                    format_si(energy_j, "J") + " while it was sampled";
  if (run.disturbed.any()) {
    finding.summary += ", reading counters included";
  } else {
    finding.summary +=
        ", " + format_percent(energy_j > 0 ? idle_j / energy_j : 0) + " of it while nothing ran";
  }
  finding.summary += ".";
  finding.tables.push_back(device_table(run, all));

  const std::optional<StepEnergy> step = energy_of_step(run);
  if (!step) {
    finding.summary += run.disturbed.any()
                           ? " There is no step in which no counters were read."
                           : " No steps were found to divide it by; --step-range names them.";
    return finding;
  }
  if (step->energy_j > 0) {
    finding.summary += " A typical step uses " + format_si(step->energy_j, "J") + " per GPU (" +
                       format_si(step->power_w, "W") + " for " + format_si(step->step.step_s, "s") +
                       ")";
    if (run.options.tokens_per_step > 0) {
      finding.summary +=
          ", a token " + format_si(step->energy_j * static_cast<double>(step->step.devices) /
                                       run.options.tokens_per_step,
                                   "J");
    }
    finding.summary += ".";
  } else {
    finding.summary +=
        " Energy per step is not available: fewer than five power samples lie within typical "
        "steps.";
  }
  finding.tables.push_back(step_table(*step, run.options.tokens_per_step));
  if (std::optional<Table> classes = class_table(run)) {
    finding.tables.push_back(std::move(*classes));
  }
  return finding;
}

}  // namespace

void register_energy(AnalysisRegistry& registry) {
  registry.add({.name = "energy",
                .summary = "Energy of the GPUs: in total, per step and per token",
                .order = 55,
                .run = energy});
}

}  // namespace mansard::analysis
