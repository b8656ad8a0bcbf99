// SPDX-License-Identifier: Apache-2.0
// Measures one prepared kernel: correctness first, then samples until the stopping rule is content.
#pragma once

#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/nvml.h"
#include "empirical_roofline/measure/stopping_rule.h"

namespace mansard {

struct MeasureOptions {
  StoppingRule stop;
  double warm_up_s = 0.15;  // long enough for clocks to leave idle
};

struct Measurement {
  std::vector<Sample> samples;  // in measured order; nothing is left out
  std::string unit;             // "FLOP/s", "B/s" or "s"
  double value = 0;             // median
  double spread = 0;            // interquartile range over the median
  double clock_hz = 0;          // median; 0: not known
  double power_w = 0;
  double fraction_of_theory_at_clock = 0;  // median; 0: theory or clock not known
};

// Throws std::runtime_error when verify() finds a difference: a wrong kernel is never timed.
// `nvml` may be null.
Measurement measure(const KernelSpec& spec, PreparedKernel& kernel, const DeviceInfo& device,
                    const Nvml* nvml, const MeasureOptions& options);

}  // namespace mansard
