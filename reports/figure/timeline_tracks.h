// SPDX-License-Identifier: Apache-2.0
// A run as a timeline: its steps, the ranges of its program, what its devices and launching threads
// did, and what was sampled meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/step_times.h"
#include "reports/figure/line_track.h"
#include "reports/figure/slice_track.h"
#include "reports/figure/time_scale.h"

namespace mansard::figure {

// In the order in which they are drawn.
enum class TrackKind : std::uint8_t {
  steps,          // of a device
  device_ranges,  // ranges of the program, from the first to the last work launched in them
  stream,         // kernels, copies, fills, and graphs recorded as a whole
  host_ranges,    // ranges of a launching thread
  calls,          // of the CUDA API by it
};

inline constexpr std::size_t kTrackKinds = 5;

// Where the work of a track was queued: ids as in the recording.
struct TrackQueue {
  std::int32_t context_id = 0;
  std::int64_t stream_id = -1;  // of a thread's tracks its global thread id; -1: of no one queue

  bool operator==(const TrackQueue&) const = default;
};

struct TimelineTrack {
  TrackKind kind = TrackKind::steps;
  std::string label;            // "stream 7"; the same for all lanes of it
  std::int32_t device_id = -1;  // -1: a thread's
  std::size_t lane = 0;         // of what overlaps: its depth
  // Records are launches (analysis::LaunchTable) on streams, entries of Profile::nvtx for a
  // thread's ranges and of Profile::api_calls for its calls.
  SliceTrack slices;
  TrackQueue queue = {};
};

// What a key of the slices stands for.
struct SliceName {
  std::string text;
  std::uint16_t of_class = 0;  // into Timeline::classes
  std::int32_t row = -1;       // of a kernel: into RunAnalysis::rows; -1: none
};

// Classes beside the operation classes of kernels.
inline const analysis::OperationClass kGraphClass = "graph";
inline const analysis::OperationClass kStepClass = "step";
inline const analysis::OperationClass kOtherStepClass = "step that is not typical";
inline const analysis::OperationClass kRangeClass = "range";
inline const analysis::OperationClass kLaunchClass = "launching call";
inline const analysis::OperationClass kWaitClass = "waiting call";
inline const analysis::OperationClass kCallClass = "other call";

struct Timeline {
  // Time zero of the profile (analyzer/profile_times.h): where times on the axis and in texts count
  // from. The slices and lines keep the times as recorded.
  std::int64_t zero_ns = 0;
  TimeSpan span;  // of all slices; {0, 0} of none
  std::vector<analysis::OperationClass> classes;
  std::vector<SliceName> names;       // by key
  std::vector<TimelineTrack> tracks;  // by kind within a device, then the threads'
  std::vector<LineTrack> lines;
  std::size_t left_out = 0;  // records without valid times, or too many at once

  bool empty() const { return tracks.empty(); }
};

// `steps` as step_times(run) tells them.
Timeline timeline_of(const analysis::RunAnalysis& run,
                     const std::vector<analysis::DeviceSteps>& steps);
// The same where another thread still looks for the steps: asks for them, once, as late as it can.
Timeline timeline_awaiting_steps(const analysis::RunAnalysis& run,
                                 const std::function<std::vector<analysis::DeviceSteps>()>& steps);

}  // namespace mansard::figure
