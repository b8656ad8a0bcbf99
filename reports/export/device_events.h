// SPDX-License-Identifier: Apache-2.0
// The device events of a timeline: kernels, memcpys, memsets, and graphs recorded as a whole, by
// stream.
#pragma once

#include "reports/export/trace_flows.h"
#include "reports/export/trace_tracks.h"

namespace mansard::reports {

void walk_devices(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
                  TimelineTracks& tracks, TimelineWriter& writer);

}  // namespace mansard::reports
