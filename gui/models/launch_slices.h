// SPDX-License-Identifier: Apache-2.0
// Between the launches of a run and the slices of its timeline. They are the same work, each kept
// the way it is gone through.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gui/models/open_run.h"
#include "reports/figure/timeline_summary.h"

namespace mansard::gui {

inline StreamKey stream_of(const figure::TimelineTrack& track) {
  return {track.device_id, track.queue.context_id, track.queue.stream_id};
}

// Into LaunchColumns. Empty for memcpys, ranges of a device, calls.
std::optional<std::size_t> launch_of(const OpenRun& run, const figure::SliceRef& slice);

// Of a launch. None of one without valid times.
std::optional<figure::SliceRef> slice_of(const OpenRun& run, std::size_t launch);

// The API call that launched it, into Profile::api_calls; empty for a range of the host.
std::optional<std::size_t> call_number(const OpenRun& run, std::size_t launch);
// Its slice, if the call was recorded and is shown. A search on each track of its
// thread.
std::optional<figure::SliceRef> call_of(const OpenRun& run, std::size_t launch);

// Of a row, into LaunchColumns, in the order of the recording.
std::vector<std::uint32_t> launches_of_row(const OpenRun& run, std::size_t row);

// The same by the track on which they are, by rising start. Goes through the row's launches alone.
std::map<std::size_t, std::vector<std::uint32_t>> launches_by_track(const OpenRun& run,
                                                                    std::size_t row);

}  // namespace mansard::gui
