// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/link_tiers.h"

#include <utility>

#include "analyzer/roofline_columns.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

roofline::DeviceModel roofs_of(const StepPrediction& p, const TargetMachine& machine) {
  roofline::DeviceModel device;
  device.device.target = kernels::Target::cuda;
  device.ceilings = p.link_roofs;
  for (const auto& [precision, flop_per_s] : machine.peak_flop_per_s) {
    roofline::Ceiling peak;
    peak.id = "datasheet_" + std::string(info(precision).key);
    peak.precision = precision;
    peak.unit = "FLOP/s";
    peak.value = flop_per_s;
    device.ceilings.push_back(std::move(peak));
  }
  return device;
}

// Work of a phase or of the whole step.
struct LinkPhase {
  std::string name;
  WorkTotals work;
  std::map<MemoryLevel, double> transfer_s;
  double time_s = 0;  // 0: phases overlap, so their time is not defined
};

void add(LinkPhase& phase, const PhaseWork& work, bool with_flop) {
  if (with_flop) {
    for (const auto& [precision, flop] : work.flop) phase.work.flop[precision] += flop;
  }
  for (const auto& [level, bytes] : work.traffic.bytes) phase.work.bytes[level] += bytes;
  for (const auto& [level, seconds] : work.traffic.time_s) phase.transfer_s[level] += seconds;
}

LinkPhase whole_step(const StepPrediction& p) {
  LinkPhase step;
  step.name = "step";
  step.time_s = p.step_s;
  for (std::size_t i = 0; i < kStepPhases; ++i) {
    // The FLOPs of the exchange are those of the other phases.
    add(step, p.phases[i], static_cast<StepPhase>(i) != StepPhase::exchange);
  }
  return step;
}

std::vector<LinkPhase> phases_of(const StepPrediction& p) {
  static constexpr std::array<std::string_view, kStepPhases> kNames = {"forward", "backward",
                                                                       "gradients and parameters"};
  std::vector<LinkPhase> phases = {whole_step(p)};
  for (std::size_t i = 0; i < kStepPhases; ++i) {
    LinkPhase& phase = phases.emplace_back();
    phase.name = kNames[i];
    add(phase, p.phases[i], true);
  }
  return phases;
}

// Calls `take` with the roofline point of each tier over which the phase sends.
template <class Take>
void for_each_tier(const LinkPhase& phase, const roofline::DeviceModel& roofs, Take take) {
  const SpeedOfLight sol = speed_of_light(phase.work, roofs);
  const double flop = phase.work.total_flop();
  for (const auto& [level, bytes] : phase.work.bytes) {
    if (!(bytes > 0)) continue;
    take(TierPoint{phase.work, sol, level, flop / bytes, phase.time_s > 0 ? flop / phase.time_s : 0,
                   roofs.bandwidth(level)});
  }
}

}  // namespace

Table link_tiers_table(const StepPrediction& p, const TargetMachine& machine) {
  // The columns that answer whether a tier bounds the phase come first, for narrow terminals.
  constexpr std::ptrdiff_t kFirst = 5;
  const ColumnsOf<TierPoint>& all = step_tier_columns();
  const ColumnsOf<TierPoint> first(all.begin(), all.begin() + kFirst);
  const ColumnsOf<TierPoint> others(all.begin() + kFirst, all.end());
  Table table{"link_tiers", "Network arithmetic intensity", {}, {}};
  table.columns = {{"phase", "phase", CellFormat::text, "",
                    "The step or a part of it; gradients and parameters: their exchange, and the "
                    "FLOPs that can hide it"}};
  append(table.columns, heads(first));
  append(table.columns,
         {{"transfer_s", "transfer", CellFormat::quantity, "s",
           "Predicted time of the transfers, hidden or not"},
          {"transfer_share", "of step", CellFormat::fraction, "", "Transfer time / step time"}});
  append(table.columns, heads(others));
  table.chart = Chart{.kind = ChartKind::bars,
                      .label_keys = {"phase", "tier"},
                      .value_keys = {"flop_per_byte"},
                      .more_is_better = true,
                      .reference_key = "ridge_flop_per_byte"};
  const roofline::DeviceModel roofs = roofs_of(p, machine);
  for (const LinkPhase& phase : phases_of(p)) {
    for_each_tier(phase, roofs, [&](const TierPoint& point) {
      std::vector<Cell> line = {phase.name};
      append(line, cells(first, point));
      const double transfer_s = phase.transfer_s.at(point.level);
      append(line, {transfer_s, transfer_s / p.step_s});
      append(line, cells(others, point));
      table.add(std::move(line), {});
    });
  }
  return table;
}

std::string link_bound_text(const StepPrediction& p, const TargetMachine& machine) {
  std::string text;
  for_each_tier(whole_step(p), roofs_of(p, machine), [&](const TierPoint& point) {
    if (!is_bound_by_tier(point).value_or(false)) return;
    const std::string tier(point.level == MemoryLevel::network ? "the network"
                                                               : info(point.level).label);
    text += " The step is bound by " + tier + ": it has " +
            format_si(point.flop_per_byte, "FLOP/B") + " sent, and the ridge point is " +
            format_si(*ridge_flop_per_byte(point), "FLOP/B") + ".";
  });
  return text;
}

std::string link_source_text(const StepPrediction& p, const TargetMachine& machine) {
  const bool uses_nvlink = whole_step(p).work.bytes.contains(MemoryLevel::nvlink);
  if (!uses_nvlink) return "";
  if (!p.measured_collectives.empty()) {
    std::string names;
    for (const std::string& name : p.measured_collectives) {
      names += (names.empty() ? "" : ", ") + name;
    }
    return " Collectives over NVLink take the measured times of " + names +
           "; other transfers, and the network, the datasheet's bandwidth.";
  }
  if (machine.collectives.empty()) return "";
  return " NVLink times come from the datasheet: the machine model has no collectives between as "
         "many "
         "GPUs as this job's groups have.";
}

}  // namespace mansard::analysis
