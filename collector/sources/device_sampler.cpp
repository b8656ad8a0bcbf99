// SPDX-License-Identifier: Apache-2.0
#include "collector/sources/device_sampler.h"

#include <optional>

namespace mansard::collector {
namespace {

// The driver chooses the type of a field's value.
std::optional<double> number(const nvml::FieldValue& field) {
  switch (field.type) {
    case nvml::ValueType::float64:
      return field.value.float64;
    case nvml::ValueType::uint32:
      return field.value.uint32;
    case nvml::ValueType::ulong:
      return static_cast<double>(field.value.ulong);
    case nvml::ValueType::uint64:
      return static_cast<double>(field.value.uint64);
    case nvml::ValueType::int64:
      return static_cast<double>(field.value.int64);
    case nvml::ValueType::int32:
      return field.value.int32;
    case nvml::ValueType::uint16:
      return field.value.uint16;
  }
  return std::nullopt;
}

}  // namespace

void DeviceSampler::note_failure(Quantity quantity, nvml::Return result) {
  if (result == nvml::kGpuIsLost) gone_ = true;
  if (result == nvml::kNotSupported || result == nvml::kNoPermission ||
      result == nvml::kFunctionNotFound) {
    not_there_ |= quantity;
  }
}

template <class Function, class... Arguments>
bool DeviceSampler::ask(Quantity quantity, Function function, Arguments... arguments) {
  if (function == nullptr || gone_ || (not_there_ & quantity) != 0) return false;
  const nvml::Return result = function(device_, arguments...);
  if (result != nvml::kSuccess) {
    note_failure(quantity, result);
    return false;
  }
  any_ = true;
  return true;
}

bool DeviceSampler::ask_instant_power(store::DeviceStateSample& sample) {
  if (api_.field_values == nullptr || gone_ || (not_there_ & power_instant) != 0) return false;
  nvml::FieldValue field{};
  field.field = nvml::kPowerInstant;
  nvml::Return result = api_.field_values(device_, 1, &field);
  if (result == nvml::kSuccess) result = field.result;
  const std::optional<double> power_mw = number(field);
  if (result != nvml::kSuccess || !power_mw) {
    note_failure(power_instant, result);
    return false;
  }
  sample.power_w = 1e-3 * *power_mw;
  sample.power_is_instant = true;
  any_ = true;
  return true;
}

DeviceSampler::Outcome DeviceSampler::sample(store::DeviceStateSample& sample) {
  any_ = false;
  sample.device_id = device_id_;
  unsigned value = 0;
  if (ask(sm_clock, api_.clock_mhz, nvml::kSmClock, &value)) sample.sm_clock_hz = 1e6 * value;
  if (ask(memory_clock, api_.clock_mhz, nvml::kMemoryClock, &value)) {
    sample.memory_clock_hz = 1e6 * value;
  }
  if (!ask_instant_power(sample) && ask(power_average, api_.power_mw, &value)) {
    sample.power_w = 1e-3 * value;
    sample.power_is_instant = false;
  }
  if (ask(temperature, api_.temperature_c, nvml::kGpuTemperature, &value)) {
    sample.temperature_c = value;
  }
  unsigned long long bits = 0;
  if (ask(reasons, api_.clocks_event_reasons, &bits)) sample.clocks_event_reasons = bits;
  nvml::Utilization busy{};
  if (ask(utilization, api_.utilization, &busy)) {
    sample.gpu_utilization = 0.01 * busy.gpu;
    sample.memory_utilization = 0.01 * busy.memory;
  }
  nvml::Memory used{};
  if (ask(memory, api_.memory, &used)) {
    sample.memory_used_bytes = static_cast<std::int64_t>(used.used_bytes);
  }
  if (gone_) return Outcome::gone;
  return any_ ? Outcome::sampled : Outcome::nothing;
}

}  // namespace mansard::collector
