// SPDX-License-Identifier: Apache-2.0
// Two conventions for all times in reports and views: time zero and launch latency.
#pragma once

#include <cstdint>

#include "collector/store/profile.h"

namespace mansard::analysis {

// Time zero: the start of the earliest event in the profile: an API call, an NVTX range or mark, a
// device activity (kernel, memcpy, memset, graph), or a device sample. Records without valid times
// are ignored. 0 for a profile without events. Files (SQLite, CSV) keep the recorded times,
// relative to the start of the session; displayed times are relative to time zero.
std::int64_t time_zero_ns(const store::Profile& profile);

// Launch latency: from the start of the API call that launched an activity to the start of the
// activity on the device, including time in the stream's queue. Host and device clocks agree only
// to about a microsecond, so an activity can seem to start before its call: its latency is 0.
std::int64_t launch_latency_ns(const store::ApiRecord& call, std::int64_t device_start_ns);

}  // namespace mansard::analysis
