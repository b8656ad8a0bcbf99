// SPDX-License-Identifier: Apache-2.0
// The time window that a timeline shows first: a representative step.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

struct ShownStep {
  TimeSpan window;
  std::string name;  // "step 17"; "the whole profile"
  std::string why;   // how it was chosen; empty for the whole profile
  // Windows of all typical steps of the device, including the shown one, by time; empty for the
  // whole profile.
  std::vector<TimeSpan> typical;
};

// Returns the median typical step of the first device with steps. Without steps, the interval with
// device activity; without devices, the whole profile.
ShownStep shown_step(const Timeline& timeline, const std::vector<analysis::DeviceSteps>& steps);

}  // namespace mansard::figure
