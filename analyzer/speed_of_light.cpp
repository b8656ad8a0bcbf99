// SPDX-License-Identifier: Apache-2.0
#include "analyzer/speed_of_light.h"

#include <algorithm>
#include <cmath>

namespace mansard::analysis {

namespace {

bool is_amount(double value) { return std::isfinite(value) && value > 0; }

const roofline::Ceiling* usable(const roofline::Ceiling* ceiling) {
  return ceiling != nullptr && is_amount(ceiling->value) ? ceiling : nullptr;
}

// SM fills come from the L2 or from another SM, whose ceilings bound them.
bool has_own_ceiling(MemoryLevel level) { return level != MemoryLevel::sm_fill; }

// Keeps the longest term; of equal terms, the first.
void offer(SpeedOfLight& sol, double time_s, Bound bound, std::string ceiling, std::string label) {
  if (time_s <= sol.time_s) return;
  sol.time_s = time_s;
  sol.bound = bound;
  sol.ceiling = std::move(ceiling);
  sol.bound_label = std::move(label);
}

// Units that compute at the same time, each in one precision at a time. `main`: the tensor cores of
// a GPU, the vector units of a CPU.
enum class ComputeUnit { main, fp32_cores, fp64_cores };

ComputeUnit unit_of(Precision precision, const roofline::DeviceModel& machine) {
  if (machine.device.target == kernels::Target::host) return ComputeUnit::main;
  if (precision == Precision::fp32) return ComputeUnit::fp32_cores;
  if (precision == Precision::fp64) return ComputeUnit::fp64_cores;
  return ComputeUnit::main;
}

// The precisions of a unit add up; the busiest unit bounds. The label is that unit's precision with
// the longest time.
void offer_compute(SpeedOfLight& sol, const WorkTotals& work,
                   const roofline::DeviceModel& machine) {
  struct UnitTime {
    double time_s = 0;
    double largest_s = 0;
    const roofline::Ceiling* largest = nullptr;
    std::string_view label;
  };
  std::map<ComputeUnit, UnitTime> units;
  for (const auto& [precision, flop] : work.flop) {
    if (!is_amount(flop)) continue;
    const roofline::Ceiling* ceiling = usable(machine.compute(precision));
    if (ceiling == nullptr) {
      sol.missing_ceilings.emplace_back(info(precision).label);
      continue;
    }
    const double time_s = flop / ceiling->value;
    UnitTime& unit = units[unit_of(precision, machine)];
    unit.time_s += time_s;
    if (time_s > unit.largest_s) {
      unit.largest_s = time_s;
      unit.largest = ceiling;
      unit.label = info(precision).label;
    }
  }
  for (const auto& [id, unit] : units) {
    sol.compute_s = std::max(sol.compute_s, unit.time_s);
    offer(sol, unit.time_s, Bound::compute, unit.largest->id, std::string(unit.label));
  }
}

void offer_bandwidth(SpeedOfLight& sol, const WorkTotals& work,
                     const roofline::DeviceModel& machine, std::string_view link_ceiling) {
  for (const auto& [level, bytes] : work.bytes) {
    if (!is_amount(bytes)) continue;
    const roofline::Ceiling* ceiling = usable(machine.find(link_ceiling));
    if (ceiling == nullptr || ceiling->level != level) ceiling = usable(machine.bandwidth(level));
    if (ceiling == nullptr) {
      if (has_own_ceiling(level)) sol.missing_ceilings.emplace_back(info(level).label);
      continue;
    }
    const double time_s = bytes / ceiling->value;
    sol.bandwidth_s[level] = time_s;
    offer(sol, time_s, Bound::bandwidth, ceiling->id, std::string(info(level).label));
  }
}

void offer_launch(SpeedOfLight& sol, const WorkTotals& work, const roofline::DeviceModel& machine) {
  if (work.launches <= 0) return;
  const std::optional<double> launch_s = machine.launch_s();
  if (!launch_s || !is_amount(*launch_s)) {
    sol.missing_ceilings.emplace_back("launch");
    return;
  }
  sol.launch_s = static_cast<double>(work.launches) * *launch_s;
  offer(sol, sol.launch_s, Bound::launch, "launch", "launch");
}

}  // namespace

double WorkTotals::total_flop() const {
  double sum = 0;
  for (const auto& [precision, amount] : flop) sum += amount;
  return sum;
}

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::unknown:
      return "unknown";
    case Bound::compute:
      return "compute";
    case Bound::bandwidth:
      return "bandwidth";
    case Bound::launch:
      return "launch";
  }
  return "unknown";
}

SpeedOfLight speed_of_light(const WorkTotals& work, const roofline::DeviceModel& machine,
                            std::string_view link_ceiling) {
  SpeedOfLight sol;
  offer_compute(sol, work, machine);
  offer_bandwidth(sol, work, machine, link_ceiling);
  offer_launch(sol, work, machine);
  return sol;
}

}  // namespace mansard::analysis
