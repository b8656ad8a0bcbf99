// SPDX-License-Identifier: Apache-2.0
// The two conventions by which every report and view states times of a profile: what they count
// from, and how long a launch takes to start.
#pragma once

#include <cstdint>

#include "collector/store/profile.h"

namespace mansard::analysis {

// Time zero: the start of the earliest event in the profile, be it an API call, an NVTX range or
// mark, a device activity (kernel, memcpy, memset, graph), or a sample of a device. Records without
// valid times do not count. 0 for a profile without events. Files (SQLite, CSV) keep the times as
// recorded, which count from the start of the session; what people read counts from time zero.
std::int64_t time_zero_ns(const store::Profile& profile);

// Launch latency: from the start of the API call that launched an activity to the start of the
// activity on the device, time in the stream's queue included. Host and device clocks agree to
// about a microsecond only, so an activity can seem to start before its call: its latency is 0.
std::int64_t launch_latency_ns(const store::ApiRecord& call, std::int64_t device_start_ns);

}  // namespace mansard::analysis
