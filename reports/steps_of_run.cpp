// SPDX-License-Identifier: Apache-2.0
#include "reports/steps_of_run.h"

#include <stdexcept>

namespace mansard {

std::vector<DeviceSteps> steps_of_run(const RunAnalysis& run) {
  try {
    return step_times(run, run.options.steps_range);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace mansard
