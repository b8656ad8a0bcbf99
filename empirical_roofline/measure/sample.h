// SPDX-License-Identifier: Apache-2.0
// From a kernel's time to a sample: its rate, the clock it saw, what the device said meanwhile.
#pragma once

#include "empirical_roofline/measure/measure.h"

namespace mansard::roofline {

// What one launch amounts to, in the numerator of the ceiling's unit.
double amount(const kernels::KernelSpec& spec, const kernels::Work& work);

class SampleReader {
 public:
  SampleReader(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
               const kernels::DeviceInfo& device, const NvmlDevice* nvml);

  // After `launches` launches that took `time_s` together. Adds to `into`. The clock is the
  // kernel's own where it counts cycles, else `clock_hz`, else NVML's.
  void read(double time_s, int launches, double clock_hz, Measurement& into);

 private:
  bool counts_time_;  // seconds an operation, not operations a second
  kernels::PreparedKernel& kernel_;
  const NvmlDevice* nvml_;
  double per_launch_;
  double peak_per_cycle_;  // of the whole device; 0: not known
  double peak_per_s_;
};

}  // namespace mansard::roofline
