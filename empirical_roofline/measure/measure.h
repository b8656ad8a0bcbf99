// SPDX-License-Identifier: Apache-2.0
// Measures one prepared kernel: correctness first, then samples until the stopping rule is content.
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
  double warm_up_s = 0.15;  // at least; goes on while the clock still rises
  // After each sample the device idles for this many times its length. Under a load that would draw
  // more than the power limit, the clock sinks within milliseconds; a kernel of a program with
  // other work around it meets a higher one.
  double rest = 0;
};

struct Measurement {
  std::vector<Sample> samples;         // in measured order; nothing is left out
  std::set<std::string> throttled_by;  // reasons the device gave
};

// Throws std::runtime_error naming the kernel and the difference: a wrong kernel is never timed.
void require_right(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                   const kernels::DeviceInfo& device);

// Burst: launches one by one on a warm device, with rests in between. `nvml` may be null.
Measurement measure(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                    const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                    const MeasureOptions& options);

// Sustained: launches without a gap for `duration_s`, a sample for each batch of about 0.1 s.
// Samples from before the clock had settled are marked; if it takes longer than the first half, the
// load goes on for as long again. CUDA only.
Measurement measure_sustained(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                              const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                              double duration_s);

// The index from which on `clocks_hz` no longer drift: what follows starts within 1 % of its
// median, and its first half has the same median within 0.25 %. At least a quarter must be left;
// otherwise the count.
std::size_t settled_from(const std::vector<double>& clocks_hz);

}  // namespace mansard::roofline
