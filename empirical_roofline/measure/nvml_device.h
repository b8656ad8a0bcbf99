// SPDX-License-Identifier: Apache-2.0
// Reads clock, power and throttling of a GPU with NVML.
#pragma once

#include <memory>
#include <string>

#include "support/nvml.h"

namespace mansard::roofline {

struct GpuState {
  double sm_clock_hz = 0;  // 0: unknown; also below
  double memory_clock_hz = 0;
  double power_w = 0;
  double temperature_c = 0;
  bool throttled = false;       // by power, temperature or a brake; not by application clocks
  std::string throttle_reason;  // "power cap", "hardware slowdown", ...
};

class NvmlDevice {
 public:
  // Returns null if the library or the GPU with this UUID ("GPU-...") cannot be found.
  static std::unique_ptr<NvmlDevice> open(const std::string& uuid);
  ~NvmlDevice();
  NvmlDevice(const NvmlDevice&) = delete;
  NvmlDevice& operator=(const NvmlDevice&) = delete;
  GpuState state() const;
  std::string driver_version() const;
  // Number of other processes with a context on the GPU; -1: unknown.
  int other_processes() const;
  // Fraction of the last sample period (up to a second) in which a kernel ran; negative: unknown.
  double utilization() const;

 private:
  NvmlDevice(const NvmlApi& api, nvml::Device device) : api_(api), device_(device) {}
  NvmlApi api_;
  nvml::Device device_;
};

}  // namespace mansard::roofline
