// SPDX-License-Identifier: Apache-2.0
// The counters of a timeline: sampled state of the GPUs and utilization of their units.
#pragma once

#include "reports/export/trace_tracks.h"

namespace mansard::reports {

void walk_counters(const ExportInput& input, std::int64_t first_ns, TimelineTracks& tracks,
                   TimelineWriter& writer);

}  // namespace mansard::reports
