// SPDX-License-Identifier: Apache-2.0
// Reads the state of one GPU.
#pragma once

#include <cstdint>

#include "collector/store/tables.h"
#include "support/nvml.h"

namespace mansard::collector {

class DeviceSampler {
 public:
  enum class Outcome { sampled, nothing, gone };

  DeviceSampler(const NvmlApi& api, nvml::Device device, std::int32_t device_id)
      : api_(api), device_(device), device_id_(device_id) {}

  // Fills in the values that NVML provides. A value that the GPU or driver does not support is
  // queried only once.
  Outcome sample(store::DeviceStateSample& sample);

  std::int32_t device_id() const { return device_id_; }

 private:
  enum Quantity : unsigned {
    sm_clock = 1,
    memory_clock = 2,
    power_instant = 4,
    power_average = 8,
    temperature = 16,
    reasons = 32,
    utilization = 64,
    memory = 128,
  };
  // Returns whether the call `function(device_, arguments...)` succeeded.
  template <class Function, class... Arguments>
  bool ask(Quantity quantity, Function function, Arguments... arguments);
  bool ask_instant_power(store::DeviceStateSample& sample);
  void note_failure(Quantity quantity, nvml::Return result);

  NvmlApi api_;
  nvml::Device device_;
  std::int32_t device_id_;
  unsigned not_there_ = 0;  // Quantity
  bool any_ = false;
  bool gone_ = false;
};

}  // namespace mansard::collector
