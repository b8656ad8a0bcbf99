// SPDX-License-Identifier: Apache-2.0
// The energy that a GPU took while it was recorded: its sampled power over time.
#pragma once

#include <optional>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct DeviceEnergy {
  std::int32_t device_id = 0;
  std::size_t samples = 0;     // of power
  double covered_s = 0;        // between samples no further apart than kSamplingPause
  double energy_j = 0;         // in that time, by trapezoids
  double idle_s = 0;           // of it, while nothing ran on this GPU
  double idle_energy_j = 0;    // each interval's energy in proportion to its idle time
  bool power_is_mean = false;  // NVML told its mean of the last second, not the present power
};

// Samples further apart than so many usual distances have a pause between them (the program's, or
// the recording's), in which the power is not known.
inline constexpr double kSamplingPause = 5;

// One entry for each GPU with at least two samples of power, by id. Of samples outside of
// [begin_ns, end_ns] none counts; intervals are taken whole.
std::vector<DeviceEnergy> device_energy(const store::Profile& profile, std::int64_t begin_ns,
                                        std::int64_t end_ns);

}  // namespace mansard::analysis
