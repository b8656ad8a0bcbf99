// SPDX-License-Identifier: Apache-2.0
// Converts the time of a kernel to a sample: its rate, clock, and the state of the device.
#pragma once

#include "empirical_roofline/measure/measure.h"

namespace mansard::roofline {

// The amount of work of a launch, in the numerator of the ceiling's unit.
double amount(const kernels::KernelSpec& spec, const kernels::Work& work);

class SampleReader {
 public:
  SampleReader(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
               const kernels::DeviceInfo& device, const NvmlDevice* nvml);

  // Adds a sample to `into` after `launches` launches that took `time_s` in total. The clock is the
  // kernel's own if it counts cycles, else `clock_hz`, else that of NVML.
  void read(double time_s, int launches, double clock_hz, Measurement& into);

 private:
  bool counts_time_;  // the value is seconds per operation, not operations per second
  kernels::PreparedKernel& kernel_;
  const NvmlDevice* nvml_;
  double per_launch_;
  double peak_per_cycle_;  // of the whole device; 0: unknown
  double peak_per_s_;
};

}  // namespace mansard::roofline
