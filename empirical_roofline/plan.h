// SPDX-License-Identifier: Apache-2.0
// What is to be measured on a device, in order: kernels, sizes, data patterns, regimes.
#pragma once

#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/measure.h"

namespace mansard::roofline {

struct PlanOptions {
  std::vector<std::string> only;  // kernel names; empty: all
  std::vector<kernels::DataPattern> patterns = {kernels::DataPattern::random_normal};
  int campaigns = 3;       // of each ceiling, each on fresh buffers, with all others in between
  bool curves = true;      // over the working set; otherwise only the sizes that stand for a tier
  double sustained_s = 0;  // of load for each kernel that pulls the clock; 0: bursts only
  MeasureOptions measure;
};

// Thorough enough to trust, or as little as gives a picture, or everything.
PlanOptions default_plan();
PlanOptions quick_plan();
PlanOptions full_plan();

// One line of the plan: a kernel at one size and with one data pattern, in one regime.
struct PlannedMeasurement {
  const kernels::KernelSpec* spec = nullptr;
  kernels::PrepareOptions prepare;
  bool swept = false;
  std::optional<MemoryLevel> level;  // the tier this size stands for
  Regime regime = Regime::burst;
  int campaigns = 1;
  MeasureOptions measure;
  double sustained_s = 0;

  bool is_ceiling() const { return !swept || level.has_value(); }
  // The ceiling's id, or for a mere point of a curve the kernel and the size.
  std::string id() const;
  // Of one campaign, for a progress bar.
  double expected_s() const;
};

// Kernels that do not run on `device` are named in `skipped` with the reason.
std::vector<PlannedMeasurement> make_plan(const kernels::DeviceInfo& device,
                                          const PlanOptions& options,
                                          std::vector<std::string>& skipped);

// Throws std::runtime_error naming the first of `names` that is no ceiling.
void require_ceilings(const std::vector<std::string>& names);

}  // namespace mansard::roofline
