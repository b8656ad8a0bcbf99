// SPDX-License-Identifier: Apache-2.0
// Measures a prepared kernel: verifies it, then takes samples until the stopping rule is satisfied.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/nvml_device.h"
#include "empirical_roofline/measure/stopping_rule.h"

namespace mansard::roofline {

struct MeasureOptions {
  StoppingRule stop;
  double warm_up_s = 0.15;  // minimum; continues while the clock rises
  // Idle time after each sample, as a multiple of its duration. Under a load that would exceed the
  // power limit, the clock drops within milliseconds; in a program with other work around it, a
  // kernel runs at a higher clock.
  double rest = 0;
};

struct Measurement {
  std::vector<Sample> samples;         // all, in measured order
  std::set<std::string> throttled_by;  // throttle reasons
};

// Throws std::runtime_error naming the kernel and the difference if its result is wrong.
void require_right(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                   const kernels::DeviceInfo& device);

// Burst: single launches on a warm device, with idle time in between. `nvml` may be null.
Measurement measure(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                    const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                    const MeasureOptions& options);

// Sustained: launches without gaps for `duration_s`, with a sample per batch of about 0.1 s.
// Samples from before the clock settled are marked; if settling takes longer than the first half,
// the load continues for another `duration_s`. CUDA only.
Measurement measure_sustained(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                              const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                              double duration_s);

// Returns the index from which `clocks_hz` no longer drifts: the rest starts within 1 % of its
// median, and the median of its first half differs by at most 0.25 %. Returns the size if less than
// a quarter would remain.
std::size_t settled_from(const std::vector<double>& clocks_hz);

}  // namespace mansard::roofline
