// SPDX-License-Identifier: Apache-2.0
// GPU energy of the profile, per step and per token.
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

struct StepEnergy {
  double energy_j = 0;  // per step and GPU; 0: unknown
  double power_w = 0;
  TypicalStep step;
};

// Mean power within all typical steps x step time, as most steps are shorter than the sampling
// period.
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
  Table table{"energy", "Energy of the profile", {}, {}};
  table.columns = {
      {"device", "GPU", CellFormat::count, "", "CUDA device number in the profiled process"},
      {"name", "name", CellFormat::text, "", "Product name"},
      {"energy_j", "energy", CellFormat::quantity, "J", "Sampled power integrated over time"},
      {"covered_s", "time", CellFormat::quantity, "s", "Time in which power was sampled"},
      {"power_mean_w", "power", CellFormat::quantity, "W",
       "Energy / time; needs at least five samples"},
      {"idle_fraction", "idle", CellFormat::fraction, "",
       "Share of the time in which this GPU was idle; not available if counters were read"},
      {"idle_energy_j", "idle energy", CellFormat::quantity, "J",
       "Each interval's energy in proportion to its idle time"},
      {"power_kind", "power is", CellFormat::text, "", "Kind of power reading by the driver"},
      {"samples", "samples", CellFormat::count, "", "Number of power samples"}};
  table.chart =
      Chart{.kind = ChartKind::bars, .label_keys = {"device"}, .value_keys = {"energy_j"}};
  for (const DeviceEnergy& e : all) {
    table.rows.push_back({std::int64_t{e.device_id}, gpu_name(run.profile, e.device_id), e.energy_j,
                          e.covered_s,
                          e.samples < kMinStateSamples ? Cell() : quotient(e.energy_j, e.covered_s),
                          run.disturbed.any() ? Cell() : quotient(e.idle_s, e.covered_s),
                          run.disturbed.any() ? Cell() : Cell(e.idle_energy_j),
                          e.power_is_mean ? "mean over up to 1 s" : "instantaneous",
                          static_cast<std::int64_t>(e.samples)});
  }
  return table;
}

Table step_table(const StepEnergy& energy, double tokens) {
  Table table{"energy_per_step", "Energy per step", {}, {}};
  table.columns = {
      {"steps", "steps", CellFormat::text, "", "How the steps were found"},
      {"count", "typical steps", CellFormat::count, "", "Number of typical steps of all GPUs"},
      {"step_s", "step time", CellFormat::quantity, "s", "Mean of the typical steps"},
      {"energy_j", "energy", CellFormat::quantity, "J", "Per step and GPU: power x step time"},
      {"power_w", "power", CellFormat::quantity, "W", "Mean per GPU within typical steps"},
      {"token_energy_j", "energy per token", CellFormat::quantity, "J",
       "Energy per step of all GPUs / tokens per step"}};
  const double all_j = energy.energy_j * static_cast<double>(energy.step.devices);
  table.rows.push_back({energy.step.how, static_cast<std::int64_t>(energy.step.typical),
                        energy.step.step_s, positive(energy.energy_j), positive(energy.power_w),
                        tokens > 0 && energy.energy_j > 0 ? Cell(all_j / tokens) : Cell()});
  return table;
}

// std::nullopt unless the GPU ran at its power limit.
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
  Table table{"energy_by_class", "Energy per step by operation class (modeled)", {}, {}};
  table.columns = {
      kernel_head("class"),
      {"energy_j", "energy", CellFormat::quantity, "J",
       "Modeled: power of each class measured alone; GEMMs get the rest of the sampled power"},
      {"share", "share", CellFormat::fraction, "", "Share of the energy of a step"},
      kernel_head("time_s", "Per step"),
      {"power_w", "power", CellFormat::quantity, "W",
       "Energy / time; only the mean over all classes is at the power limit"}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"class"}, .value_keys = {"energy_j"}};
  for (const auto& [operation_class, sum] : sorted) {
    if (!(sum.time_s > 0)) continue;
    table.add({operation_class.name(), sum.energy_j, quotient(sum.energy_j, all_j), sum.time_s,
               quotient(sum.energy_j, sum.time_s)},
              {.operation_class = operation_class});
  }
  return table;
}

std::string energy_text(const StepEnergy& step, double tokens) {
  if (!(step.energy_j > 0)) {
    return "Energy per step is not available: fewer than five power samples lie within typical "
           "steps.";
  }
  std::string text = "A typical step uses " + format_si(step.energy_j, "J") + " per GPU (" +
                     format_si(step.power_w, "W") + " for " + format_si(step.step.step_s, "s") +
                     ")";
  if (tokens > 0) {
    text += "; energy per token: " +
            format_si(step.energy_j * static_cast<double>(step.step.devices) / tokens, "J");
  }
  return text + ".";
}

std::string profile_text(const RunAnalysis& run, const std::vector<DeviceEnergy>& all) {
  double energy_j = 0;
  double idle_j = 0;
  for (const DeviceEnergy& e : all) {
    energy_j += e.energy_j;
    idle_j += e.idle_energy_j;
  }
  std::string text = (all.size() == 1 ? "The GPU used " : "The GPUs used ") +
                     format_si(energy_j, "J") + " while power was sampled";
  if (run.disturbed.any()) return text + ", including time in which counters were read.";
  return text + ", " + format_percent(energy_j > 0 ? idle_j / energy_j : 0) + " of it while idle.";
}

Finding energy(const RunAnalysis& run) {
  Finding finding;
  finding.id = "energy";
  finding.title = "Energy";
  const std::vector<DeviceEnergy> all =
      device_energy(run.profile, std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::int64_t>::max());
  if (all.empty()) {
    finding.summary = "Energy is not available: no GPU has at least two power samples.";
    return finding;
  }
  // A typical step first, then the whole profile.
  if (const std::optional<StepEnergy> step = energy_of_step(run)) {
    finding.summary = energy_text(*step, run.options.tokens_per_step) + ' ';
    finding.tables.push_back(step_table(*step, run.options.tokens_per_step));
    if (std::optional<Table> classes = class_table(run)) {
      finding.tables.push_back(std::move(*classes));
    }
  }
  finding.summary += profile_text(run, all);
  if (finding.tables.empty()) {
    finding.summary += run.disturbed.any()
                           ? " Energy per step is not available: counters were read in all steps."
                           : " Energy per step is not available: no steps were found. Name their "
                             "ranges with --step-range.";
  }
  finding.tables.push_back(device_table(run, all));
  return finding;
}

}  // namespace

void register_energy(AnalysisRegistry& registry) {
  registry.add({.name = "energy",
                .summary = "GPU energy: total, per step and per token",
                .order = 55,
                .run = energy});
}

}  // namespace mansard::analysis
