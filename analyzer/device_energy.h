// SPDX-License-Identifier: Apache-2.0
// GPU energy: sampled power integrated over time.
#pragma once

#include <optional>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct DeviceEnergy {
  std::int32_t device_id = 0;
  std::size_t samples = 0;     // power samples
  double covered_s = 0;        // total of the sampling intervals; pauses (kSamplingPause) excluded
  double energy_j = 0;         // over covered_s, by the trapezoidal rule
  double idle_s = 0;           // part of covered_s in which nothing ran on this GPU
  double idle_energy_j = 0;    // each interval's energy in proportion to its idle time
  bool power_is_mean = false;  // NVML reports the mean of the last second, not instantaneous power
};

// An interval longer than this many median sampling intervals is a pause (of the program or of the
// collector) with unknown power.
inline constexpr double kSamplingPause = 5;

// One entry for each GPU with at least two power samples, by id. Ignores samples outside
// [begin_ns, end_ns]; intervals are not cut.
std::vector<DeviceEnergy> device_energy(const store::Profile& profile, std::int64_t begin_ns,
                                        std::int64_t end_ns);

}  // namespace mansard::analysis
