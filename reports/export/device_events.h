// SPDX-License-Identifier: Apache-2.0
// The devices' part of a timeline: kernels, copies, fills and graphs recorded as a whole, by
// stream.
#pragma once

#include "reports/export/launch_flows.h"
#include "reports/export/trace_tracks.h"

namespace mansard::reports {

void walk_devices(const ExportInput& input, std::int64_t first_ns, const LaunchFlows& flows,
                  TimelineTracks& tracks, TimelineWriter& writer);

}  // namespace mansard::reports
