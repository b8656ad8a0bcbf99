// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/nvml_device.h"

#include <array>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include "support/clocks_event_reasons.h"

namespace mansard::roofline {

std::unique_ptr<NvmlDevice> NvmlDevice::open(const std::string& uuid) {
  NvmlApi api;
  try {
    api = load_nvml();
  } catch (const std::runtime_error&) {
    return nullptr;
  }
  if (api.init() != nvml::kSuccess) return nullptr;
  nvml::Device device = nullptr;
  if (api.device_by_uuid(uuid.c_str(), &device) != nvml::kSuccess) {
    if (api.shutdown != nullptr) api.shutdown();
    return nullptr;
  }
  return std::unique_ptr<NvmlDevice>(new NvmlDevice(api, device));
}

NvmlDevice::~NvmlDevice() {
  if (api_.shutdown != nullptr) api_.shutdown();
}

GpuState NvmlDevice::state() const {
  GpuState state;
  unsigned value = 0;
  if (api_.clock_mhz != nullptr) {
    if (api_.clock_mhz(device_, nvml::kSmClock, &value) == nvml::kSuccess) {
      state.sm_clock_hz = 1e6 * value;
    }
    if (api_.clock_mhz(device_, nvml::kMemoryClock, &value) == nvml::kSuccess) {
      state.memory_clock_hz = 1e6 * value;
    }
  }
  if (api_.power_mw != nullptr && api_.power_mw(device_, &value) == nvml::kSuccess) {
    state.power_w = 1e-3 * value;
  }
  if (api_.temperature_c != nullptr &&
      api_.temperature_c(device_, nvml::kGpuTemperature, &value) == nvml::kSuccess) {
    state.temperature_c = value;
  }
  unsigned long long bits = 0;
  if (api_.clocks_event_reasons != nullptr &&
      api_.clocks_event_reasons(device_, &bits) == nvml::kSuccess) {
    state.throttled = throttling_bits(bits) != 0;
    state.throttle_reason = describe_clocks_event_reasons(throttling_bits(bits));
  }
  return state;
}

double NvmlDevice::utilization() const {
  nvml::Utilization rates{};
  if (api_.utilization == nullptr || api_.utilization(device_, &rates) != nvml::kSuccess) {
    return -1;
  }
  return 0.01 * rates.gpu;
}

std::string NvmlDevice::driver_version() const {
  std::array<char, 96> text{};
  if (api_.driver_version == nullptr ||
      api_.driver_version(text.data(), static_cast<unsigned>(text.size())) != nvml::kSuccess) {
    return "";
  }
  return text.data();
}

int NvmlDevice::other_processes() const {
  if (api_.compute_processes == nullptr) return -1;
  std::vector<nvml::ProcessInfo> running(64);
  auto count = static_cast<unsigned>(running.size());
  if (api_.compute_processes(device_, &count, running.data()) != nvml::kSuccess) return -1;
  int others = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (running[i].pid != static_cast<unsigned>(::getpid())) ++others;
  }
  return others;
}

}  // namespace mansard::roofline
