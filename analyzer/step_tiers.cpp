// SPDX-License-Identifier: Apache-2.0
#include "analyzer/step_tiers.h"

#include <algorithm>
#include <utility>

namespace mansard::analysis {
namespace {

WorkTotals work_of_unit(const RunAnalysis& run, const RunUnit& unit) {
  WorkTotals work;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.target != kernels::Target::cuda || !(unit.launches(i) > 0)) continue;
    for (const auto& [precision, flop] : row.work.flop) {
      work.flop[precision] += unit.per_unit(i, flop);
    }
    for (const auto& [level, bytes] : row.work.bytes) {
      work.bytes[level] += unit.per_unit(i, bytes);
    }
  }
  return work;
}

// The published bandwidth of a tier that was not measured.
const roofline::Ceiling* published(MemoryLevel level, const roofline::DeviceModel& machine) {
  const roofline::MachineModel* sheet = roofline::find_datasheet(machine.device.name);
  return sheet == nullptr ? nullptr : sheet->devices.front().bandwidth(level);
}

// The machine's compute ceilings, and `roof` as the only one of its tier.
roofline::DeviceModel with_roof(const roofline::DeviceModel& machine, const WorkTotals& work,
                                const roofline::Ceiling& roof) {
  roofline::DeviceModel model;
  model.device = machine.device;
  model.ceilings.push_back(roof);
  for (const auto& [precision, flop] : work.flop) {
    const roofline::Ceiling* ceiling = machine.compute(precision);
    if (ceiling != nullptr) model.ceilings.push_back(*ceiling);
  }
  return model;
}

// The collectives of a step at the measured times of such calls.
struct MeasuredCollectives {
  double bus_bytes = 0;
  double time_s = 0;
  std::string slowest;  // ceiling with most of the time
};

// Empty unless all collectives over NVLink with a known message were measured.
std::optional<MeasuredCollectives> measured_collectives(const RunAnalysis& run,
                                                        const RunUnit& unit) {
  const std::vector<roofline::CollectiveFit> fits = roofline::fit_collectives(run.machine->sweep);
  MeasuredCollectives all;
  double longest_s = 0;
  for (std::size_t i = 0; i < run.rows.size() && !fits.empty(); ++i) {
    const KernelRow& row = run.rows[i];
    if (!row.message || !row.message->link_bytes() || !(unit.launches(i) > 0)) continue;
    const std::optional<double> call_s = measured_call_s(*row.message, fits);
    if (!call_s) return std::nullopt;
    const double time_s = unit.launches(i) * *call_s;
    all.bus_bytes += unit.launches(i) * *row.message->bus_bytes();
    all.time_s += time_s;
    if (time_s <= longest_s) continue;
    longest_s = time_s;
    all.slowest = collective_ceiling(row.message->operation, row.message->ranks);
  }
  if (!(all.time_s > 0)) return std::nullopt;
  return all;
}

}  // namespace

std::optional<double> measured_call_s(const CollectiveMessage& message,
                                      const std::vector<roofline::CollectiveFit>& fits) {
  const std::optional<double> bus = message.bus_bytes();
  if (!bus || !message.one_host) return std::nullopt;
  const roofline::CollectiveFit* fit = find_fit(fits, message.operation, message.ranks);
  if (fit == nullptr) return std::nullopt;
  return fit->call_s(*bus);
}

StepTiers::StepTiers(const RunAnalysis& run, const RunUnit& unit)
    : all_(work_of_unit(run, unit)), time_s_(unit.time_s()) {
  if (!run.machine || run.machine->device.target != kernels::Target::cuda ||
      !(all_.total_flop() > 0)) {
    return;
  }
  for (const auto& [level, bytes] : all_.bytes) {
    if (!(bytes > 0)) continue;
    const roofline::Ceiling* roof = run.machine->bandwidth(level);
    if (roof == nullptr) roof = published(level, *run.machine);
    if (roof != nullptr) add(level, bytes, *roof, run);
    if (level != MemoryLevel::nvlink) continue;
    if (const auto measured = measured_collectives(run, unit)) {
      roofline::Ceiling nccl;
      nccl.id = measured->slowest + " at its message sizes";
      nccl.role = kernels::KernelRole::bandwidth_ceiling;
      nccl.level = level;
      nccl.unit = "B/s";
      nccl.value = measured->bus_bytes / measured->time_s;
      nccl.source = "measured";
      add(level, measured->bus_bytes, std::move(nccl), run);
    }
  }
}

void StepTiers::add(MemoryLevel level, double bytes, roofline::Ceiling roof,
                    const RunAnalysis& run) {
  roof.samples.clear();
  const roofline::Ceiling& kept = roofs_.emplace_back(std::move(roof));
  const WorkTotals& work = works_.emplace_back(WorkTotals{all_.flop, {{level, bytes}}, 0});
  const SpeedOfLight& sol =
      sols_.emplace_back(speed_of_light(work, with_roof(*run.machine, work, kept)));
  const double flop = work.total_flop();
  points_.push_back({work, sol, level, flop / bytes, time_s_ > 0 ? flop / time_s_ : 0, &kept});
}

}  // namespace mansard::analysis
