// SPDX-License-Identifier: Apache-2.0
// When anything ran at all.
#pragma once

#include "analyzer/attribution/range_attribution.h"
#include "analyzer/steps/disturbed_time.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

struct Activity {
  double busy_s = 0;  // union of the intervals: what overlaps counts once
  double span_s = 0;  // from the first start to the last end, without the disturbed time
};

// Whether anything was put on a device at all; if not, the run is the host's.
bool has_device_activity(const store::Profile& profile);

// Kernels, memcpys, memsets and graphs recorded as a whole, of all streams and devices, without the
// disturbed time.
Activity device_activity(const store::Profile& profile, const DisturbedTime& disturbed = {});

// The annotated ranges of all threads.
Activity range_activity(const Attribution& attribution);

}  // namespace mansard::analysis
