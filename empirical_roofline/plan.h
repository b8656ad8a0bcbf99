// SPDX-License-Identifier: Apache-2.0
// The measurement plan of a device: kernels, sizes, data patterns and regimes, in order.
#pragma once

#include <string>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/measure.h"

namespace mansard::roofline {

struct PlanOptions {
  std::vector<std::string> only;  // kernel names; empty: all
  std::vector<kernels::DataPattern> patterns = {kernels::DataPattern::random_normal};
  int campaigns = 3;       // per ceiling, each on new buffers, with all other ceilings in between
  bool curves = true;      // sweeps over the working set; else only one size per memory tier
  double sustained_s = 0;  // of load per power-limited kernel; 0: bursts only
  MeasureOptions measure;
};

// For reliable results, for a rough picture (--quick), and for everything (--full).
PlanOptions default_plan();
PlanOptions quick_plan();
PlanOptions full_plan();

// A step of the plan: a kernel with one size, data pattern and regime.
struct PlannedMeasurement {
  const kernels::KernelSpec* spec = nullptr;
  kernels::PrepareOptions prepare;
  bool swept = false;
  std::optional<MemoryLevel> level;  // the memory tier that this size represents
  Regime regime = Regime::burst;
  int campaigns = 1;
  MeasureOptions measure;
  double sustained_s = 0;

  bool is_ceiling() const { return !swept || level.has_value(); }
  // The ceiling's ID; for other points of a sweep, the kernel and the size.
  std::string id() const;
  // Expected duration of a campaign, for the progress bar.
  double expected_s() const;
};

// Adds kernels that do not run on `device` to `skipped`, with the reason.
std::vector<PlannedMeasurement> make_plan(const kernels::DeviceInfo& device,
                                          const PlanOptions& options,
                                          std::vector<std::string>& skipped);

// Throws std::runtime_error naming the first of `names` that is not a ceiling.
void require_ceilings(const std::vector<std::string>& names);

}  // namespace mansard::roofline
