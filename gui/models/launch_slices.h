// SPDX-License-Identifier: Apache-2.0
// Between the launches of a run and the slices of its timeline. They are the same work, each kept
// the way it is gone through.
#pragma once

#include <optional>

#include "gui/models/open_run.h"
#include "reports/figure/timeline_summary.h"

namespace mansard {

inline StreamKey stream_of(const TimelineTrack& track) {
  return {track.device_id, track.queue.context_id, track.queue.stream_id};
}

// Into LaunchColumns. None of what is no launch: copies, ranges of a device, calls. A few searches.
std::optional<std::size_t> launch_of(const OpenRun& run, const SliceRef& slice);

// Of a launch. None of one without valid times.
std::optional<SliceRef> slice_of(const OpenRun& run, std::size_t launch);

// The call that launched it, if that was recorded and is shown. A search on each track of its
// thread.
std::optional<SliceRef> call_of(const OpenRun& run, std::size_t launch);

// Those of a track that are launches of a row, of one class and key 0. Goes through all of them.
SliceTrack slices_of_row(const OpenRun& run, std::size_t track, std::size_t row);

}  // namespace mansard
