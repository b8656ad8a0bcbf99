// SPDX-License-Identifier: Apache-2.0
// The host events of a timeline: API calls, NVTX ranges and marks, by process and thread.
#pragma once

#include "reports/export/trace_flows.h"
#include "reports/export/trace_tracks.h"

namespace mansard::reports {

void walk_host(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
               TimelineTracks& tracks, TimelineWriter& writer);

}  // namespace mansard::reports
