// SPDX-License-Identifier: Apache-2.0
// Maps launches of a run to slices of its timeline and back. Both describe the same work, each in
// the layout its users iterate over.
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

// Index into LaunchColumns. Empty for memcpys, device ranges and API calls.
std::optional<std::size_t> launch_of(const OpenRun& run, const figure::SliceRef& slice);

// The slice of a launch. Empty if the launch has no valid times.
std::optional<figure::SliceRef> slice_of(const OpenRun& run, std::size_t launch);

// The API call that launched it, an index into Profile::api_calls; empty for a host range.
std::optional<std::size_t> call_number(const OpenRun& run, std::size_t launch);
// The slice of that call, if it was recorded and is displayed. Searches each track of its thread.
std::optional<figure::SliceRef> call_of(const OpenRun& run, std::size_t launch);

// The launches of a row as indices into LaunchColumns, in profile order.
std::vector<std::uint32_t> launches_of_row(const OpenRun& run, std::size_t row);

// The launches of a row grouped by track, sorted by start. Iterates over the row's launches only.
std::map<std::size_t, std::vector<std::uint32_t>> launches_by_track(const OpenRun& run,
                                                                    std::size_t row);

}  // namespace mansard::gui
