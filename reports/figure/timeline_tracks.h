// SPDX-License-Identifier: Apache-2.0
// A run as a timeline: steps, NVTX ranges, the activity of devices and launching threads, and
// sampled values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_times.h"
#include "reports/figure/line_track.h"
#include "reports/figure/slice_track.h"
#include "reports/figure/time_scale.h"

namespace mansard::figure {

// In drawing order.
enum class TrackKind : std::uint8_t {
  steps,          // of a device
  device_ranges,  // NVTX ranges, from the first to the last GPU work launched in them
  stream,         // kernels, memcpys, memsets, and graphs recorded as a whole
  host_ranges,    // ranges of a launching thread
  calls,          // API calls of the thread
};

inline constexpr std::size_t kTrackKinds = 5;

// The queue of a track's work, with the ids of the profile.
struct TrackQueue {
  std::int32_t context_id = 0;
  std::int64_t stream_id = -1;  // thread tracks: the global thread id; -1: no single queue

  bool operator==(const TrackQueue&) const = default;
};

struct TimelineTrack {
  TrackKind kind = TrackKind::steps;
  std::string label;            // "stream 7"; the same for all its lanes
  std::int32_t device_id = -1;  // -1: a thread
  std::size_t lane = 0;         // depth of overlapping slices
  // Records are launches (analysis::LaunchTable) on streams, indices into Profile::nvtx for a
  // thread's ranges, and into Profile::api_calls for its calls.
  SliceTrack slices;
  TrackQueue queue = {};
};

// The meaning of a slice key.
struct SliceName {
  std::string text;
  std::uint16_t of_class = 0;  // into Timeline::classes
  std::int32_t row = -1;       // kernels: index into RunAnalysis::rows; -1: none
};

// Classes in addition to the operation classes of kernels.
inline const analysis::OperationClass kGraphClass = "graph";
inline const analysis::OperationClass kStepClass = "step";
inline const analysis::OperationClass kOtherStepClass = "atypical step";
inline const analysis::OperationClass kRangeClass = "range";
inline const analysis::OperationClass kLaunchClass = "launch call";
inline const analysis::OperationClass kWaitClass = "blocking call";
inline const analysis::OperationClass kCallClass = "other call";

struct Timeline {
  // Time zero of the profile (analyzer/profile_times.h), to which times on the axis and in texts
  // are relative. Slices and lines have recorded times.
  std::int64_t zero_ns = 0;
  TimeSpan span;  // of all slices; {0, 0} without slices
  std::vector<analysis::OperationClass> classes;
  std::vector<SliceName> names;       // by key
  std::vector<TimelineTrack> tracks;  // by device and kind, then those of threads
  std::vector<LineTrack> lines;
  std::size_t left_out = 0;  // records without valid times, or beyond kMaxLanes
  // Ranks of the processes of a merged profile, by store::process_key(). No analysis needs them:
  // timeline_of() leaves them empty, and store::read_host_names() reads them.
  std::unordered_map<std::int64_t, int> ranks;

  bool empty() const { return tracks.empty(); }
};

// `steps` is the result of step_times(run).
Timeline timeline_of(const analysis::RunAnalysis& run,
                     const std::vector<analysis::DeviceSteps>& steps);
// Overload for steps that another thread still computes: calls `steps` once, as late as possible.
Timeline timeline_awaiting_steps(const analysis::RunAnalysis& run,
                                 const std::function<std::vector<analysis::DeviceSteps>()>& steps);

}  // namespace mansard::figure
