// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/machine_model.h"

#include <algorithm>
#include <set>

namespace mansard::roofline {
namespace {

// Highest value among the ceilings that `wanted` accepts.
template <typename Predicate>
const Ceiling* highest(const std::vector<Ceiling>& ceilings, Predicate wanted) {
  const Ceiling* best = nullptr;
  for (const Ceiling& c : ceilings) {
    if (wanted(c) && c.value > 0 && (best == nullptr || c.value > best->value)) best = &c;
  }
  return best;
}

}  // namespace

const Ceiling* DeviceModel::compute(Precision precision) const {
  // Zeros toggle no bits and uniform data no sign bits, so they run at clocks that training data
  // cannot reach. Use those ceilings only if nothing else was measured.
  const std::string zeros(to_string(kernels::DataPattern::zeros));
  const std::string uniform(to_string(kernels::DataPattern::random_uniform));
  for (const std::set<std::string>& left_out : {std::set{zeros, uniform}, {zeros}, {}}) {
    const auto fits = [&](const Ceiling& c) {
      return c.role == kernels::KernelRole::compute_ceiling && c.precision == precision &&
             !left_out.contains(c.data_pattern);
    };
    const Ceiling* roof = highest(ceilings, [&](const Ceiling& c) { return fits(c) && c.roof; });
    if (roof == nullptr) roof = highest(ceilings, fits);
    if (roof != nullptr) return roof;
  }
  return nullptr;
}

const Ceiling* DeviceModel::bandwidth(MemoryLevel level) const {
  const auto of_level = [&](const Ceiling& c) {
    return c.role == kernels::KernelRole::bandwidth_ceiling && c.level == level;
  };
  const Ceiling* roof = highest(ceilings, [&](const Ceiling& c) { return of_level(c) && c.roof; });
  return roof != nullptr ? roof : highest(ceilings, of_level);
}

const Ceiling* DeviceModel::find(std::string_view id) const {
  const auto it =
      std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.id == id; });
  return it == ceilings.end() ? nullptr : &*it;
}

std::optional<double> DeviceModel::launch_s() const {
  std::optional<double> best;
  for (const Ceiling& c : ceilings) {
    if (c.role != kernels::KernelRole::overhead_ceiling ||
        c.overhead != kernels::Overhead::kernel_launch)
      continue;
    if (c.value > 0 && (!best || c.value < *best)) best = c.value;
  }
  return best;
}

const DeviceModel* MachineModel::find_device(std::string_view device_name,
                                             std::string_view uuid) const {
  if (!uuid.empty()) {
    for (const DeviceModel& d : devices) {
      if (d.device.uuid == uuid) return &d;
    }
  }
  for (const DeviceModel& d : devices) {
    if (!device_name.empty() && d.device.name == device_name) return &d;
  }
  return nullptr;
}

std::string_view to_string(Origin origin) {
  return origin == Origin::measured ? "measured" : "datasheet";
}

std::string_view to_string(Regime regime) {
  switch (regime) {
    case Regime::burst:
      return "burst";
    case Regime::sustained:
      return "sustained";
    case Regime::theoretical:
      return "theoretical";
  }
  return "unknown";
}

std::string_view to_string(kernels::KernelRole role) {
  switch (role) {
    case kernels::KernelRole::compute_ceiling:
      return "compute";
    case kernels::KernelRole::bandwidth_ceiling:
      return "bandwidth";
    case kernels::KernelRole::latency_ceiling:
      return "latency";
    case kernels::KernelRole::overhead_ceiling:
      return "overhead";
    case kernels::KernelRole::operation:
      return "operation";
  }
  return "unknown";
}

}  // namespace mansard::roofline
