// SPDX-License-Identifier: Apache-2.0
// The stretch of a run that a timeline shows first: one step that stands for the others.
#pragma once

#include <string>
#include <vector>

#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

struct ShownStep {
  TimeSpan window;
  std::string name;  // "step 17"; "the whole recording"
  std::string why;   // a clause about it, after a colon; empty for the whole recording
  // Windows of the typical steps of its device, by time, it among them; empty for the whole.
  std::vector<TimeSpan> typical;
};

// Of the first device with steps the typical one nearest to their median; without steps all that
// the devices did, and without devices all there is.
ShownStep shown_step(const Timeline& timeline, const std::vector<analysis::DeviceSteps>& steps);

}  // namespace mansard::figure
