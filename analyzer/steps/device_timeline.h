// SPDX-License-Identifier: Apache-2.0
// Everything that ran on one device, in the order of time, and who owns each moment of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// The higher owns a moment in which several ran. Communication is exposed where nothing computes,
// and copies where nothing else runs: what hides behind computing costs a step nothing. A graph
// that was recorded as a whole computes, so far as is known.
enum class ActivityKind : std::uint8_t { copy, fill, communication, graph, compute };

struct DeviceActivity {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t launch = 0;  // into the LaunchTable
  std::int32_t row = -1;     // into RunAnalysis::rows
  ActivityKind kind = ActivityKind::compute;
};

// A stretch of time in which one activity owns the device; `activity` is nullptr where it is idle.
struct TimeSlice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  const DeviceActivity* activity = nullptr;
  // The one that ends an idle stretch; nullptr: the window does.
  const DeviceActivity* next = nullptr;
  bool communicates = false;  // a collective runs, whoever owns the moment
};

// Everything that ran on a device, by start, but for records that lost their times. Kernels are
// `compute` and have no row: which of them communicate, and their rows, is the caller's to fill in.
std::vector<DeviceActivity> device_activities(const store::Profile& profile,
                                              const LaunchTable& launches, std::int32_t device_id);

// The devices that ran kernels or graphs, by number; without any, those with memcpys or memsets.
std::vector<std::int32_t> active_devices(const store::Profile& profile);

// `activities` ordered by start. Calls `take` for slices that follow each other without gap or
// overlap from `start_ns` to `end_ns`: their lengths add up to the window's, exactly. Of several
// activities of the highest kind the one that began first owns a moment. Linear in the activities.
void for_each_slice(const std::vector<DeviceActivity>& activities, std::int64_t start_ns,
                    std::int64_t end_ns, const std::function<void(const TimeSlice&)>& take);

}  // namespace mansard::analysis
