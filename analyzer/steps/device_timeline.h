// SPDX-License-Identifier: Apache-2.0
// All activities of one device in time order, and the activity that each slice of time counts for.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/launch_table.h"
#include "collector/store/profile.h"

namespace mansard::analysis {

// Time in which several activities run counts for the highest kind. Communication is exposed if
// nothing computes, and a memcpy or memset if nothing else runs: overlapped activities do not
// lengthen a step. A CUDA graph recorded as a whole counts as computing.
enum class ActivityKind : std::uint8_t { memcpy, memset, communication, graph, compute };

struct DeviceActivity {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t launch = 0;  // index into the LaunchTable
  std::int32_t row = -1;     // index into RunAnalysis::rows
  ActivityKind kind = ActivityKind::compute;
};

// An interval that counts for one activity; `activity` is nullptr if the device is idle.
struct TimeSlice {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  const DeviceActivity* activity = nullptr;
  // The activity that ends an idle slice; nullptr: the window ends it.
  const DeviceActivity* next = nullptr;
  bool communicates = false;  // communication runs, exposed or not
};

// Activities of a device, sorted by start, without records that have no times. All kernels are
// `compute`, all memcpys `memcpy`, and have no row: the caller sets rows, and `communication`.
std::vector<DeviceActivity> device_activities(const store::Profile& profile,
                                              const LaunchTable& launches, std::int32_t device_id);

// Devices that ran kernels or graphs, by number; without any, those with memcpys or memsets.
std::vector<std::int32_t> active_devices(const store::Profile& profile);

// `activities` must be sorted by start. Calls `take` for slices that cover `start_ns` to `end_ns`
// without gaps or overlap, so their durations add up to the window exactly. If several activities
// of the highest kind run, the one that started first gets the slice. Linear in the activities.
void for_each_slice(const std::vector<DeviceActivity>& activities, std::int64_t start_ns,
                    std::int64_t end_ns, const std::function<void(const TimeSlice&)>& take);

}  // namespace mansard::analysis
