// SPDX-License-Identifier: Apache-2.0
// Clock, power and throttling of a GPU through NVML, which comes with the driver and is loaded at
// run time: a machine without a driver runs the same program.
#pragma once

#include <memory>
#include <string>

namespace mansard {

struct GpuState {
  double sm_clock_hz = 0;  // 0: not known; so for all
  double memory_clock_hz = 0;
  double power_w = 0;
  double temperature_c = 0;
  bool throttled = false;       // by power, heat or a brake; application clocks do not count
  std::string throttle_reason;  // "power cap", "hardware slowdown", ...
};

class Nvml {
 public:
  // Null when the library or the GPU with this UUID ("GPU-...") cannot be found.
  static std::unique_ptr<Nvml> open(const std::string& uuid);
  ~Nvml();
  GpuState state() const;
  std::string driver_version() const;
  // Processes other than this one that hold a context on the GPU; -1: not known.
  int other_processes() const;
  // Share of the last sample period (up to a second) in which a kernel ran; negative: not known.
  double utilization() const;

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace mansard
