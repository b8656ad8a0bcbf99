// SPDX-License-Identifier: Apache-2.0
// The BF16 rates to which `mansard train` relates its model FLOPs.
#pragma once

#include <string>

#include "kernels/recipes/backend.h"

namespace mansard::cli {

// FLOP/s of one device; 0: unknown.
struct PeakRates {
  double datasheet = 0;
  double measured = 0;
};

// `machine_file`: the machine model with the measured rate; "": none. Throws std::runtime_error if
// it has no BF16 ceiling for the device.
PeakRates peak_rates(const kernels::DeviceInfo& device, const std::string& machine_file);

}  // namespace mansard::cli
