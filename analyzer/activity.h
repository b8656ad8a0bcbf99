// SPDX-License-Identifier: Apache-2.0
// Busy time: the union of all activity intervals.
#pragma once

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/steps/disturbed_time.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct Activity {
  double busy_s = 0;  // union of the intervals: overlapping time counts once
  double span_s = 0;  // from the first start to the last end, minus the disturbed time
};

// Whether the profile has any device activity; if not, the run is analyzed as a host run.
bool has_device_activity(const store::Profile& profile);

// Kernels, memcpys, memsets and CUDA graphs recorded as a whole, on all streams and devices, minus
// the disturbed time.
Activity device_activity(const store::Profile& profile, const DisturbedTime& disturbed = {});

// The annotated ranges of all threads.
Activity range_activity(const Attribution& attribution);

}  // namespace mansard::analysis
