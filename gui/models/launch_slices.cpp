// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_slices.h"

#include <algorithm>

#include "analyzer/launch_table.h"

namespace mansard::gui {
namespace {

bool has_launches(const OpenRun& run, const figure::TimelineTrack& track) {
  const bool of_host = !run.launches.record.empty();
  return track.kind == (of_host ? figure::TrackKind::host_ranges : figure::TrackKind::stream);
}

// Finds the slice of a record. Several slices can share a start: one of zero length and the next
// one.
std::optional<std::size_t> slice_of_record(const figure::SliceTrack& slices, std::size_t record,
                                           std::int64_t start_ns) {
  std::size_t looked_at = 0;
  std::size_t i = slices.first_starting_at(start_ns, 0, looked_at);
  for (; i < slices.size() && slices.start_ns(i) == start_ns; ++i) {
    if (slices.record(i) == record) return i;
  }
  return std::nullopt;
}

// Searches a track of the launch's stream.
std::optional<std::size_t> slice_of_launch(const OpenRun& run, std::size_t track,
                                           std::size_t launch) {
  return slice_of_record(run.timeline.tracks[track].slices, run.launches.record_of(launch),
                         run.launches.start_ns[launch]);
}

}  // namespace

std::optional<std::size_t> launch_of(const OpenRun& run, const figure::SliceRef& slice) {
  const figure::TimelineTrack& track = run.timeline.tracks[slice.track];
  if (!has_launches(run, track)) return std::nullopt;
  const std::uint32_t record = track.slices.record(slice.slice);
  const LaunchColumns& launches = run.launches;
  if (launches.record.empty()) {
    // analysis::LaunchTable starts with the kernels.
    return record < launches.size() ? std::optional<std::size_t>(record) : std::nullopt;
  }
  const auto found = std::ranges::lower_bound(launches.record, record);
  if (found == launches.record.end() || *found != record) return std::nullopt;
  return static_cast<std::size_t>(found - launches.record.begin());
}

std::optional<figure::SliceRef> slice_of(const OpenRun& run, std::size_t launch) {
  const StreamKey stream = run.launches.streams[run.launches.stream[launch]];
  for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
    const figure::TimelineTrack& track = run.timeline.tracks[t];
    if (!has_launches(run, track) || stream_of(track) != stream) continue;
    const auto slice = slice_of_launch(run, t, launch);
    if (slice) return figure::SliceRef{t, *slice};
  }
  return std::nullopt;
}

std::optional<std::size_t> call_number(const OpenRun& run, std::size_t launch) {
  if (!run.launches.record.empty()) return std::nullopt;
  return analysis::launches_of(run.analysis).call(launch);
}

std::optional<figure::SliceRef> call_of(const OpenRun& run, std::size_t launch) {
  const std::optional<std::size_t> number = call_number(run, launch);
  if (!number) return std::nullopt;
  const store::ApiRecord call = run.analysis.profile.api_calls[*number];
  for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
    const figure::TimelineTrack& track = run.timeline.tracks[t];
    if (track.kind != figure::TrackKind::calls || track.queue.stream_id != call.global_tid)
      continue;
    const auto slice = slice_of_record(track.slices, *number, call.start_ns);
    if (slice) return figure::SliceRef{t, *slice};
  }
  return std::nullopt;
}

std::vector<std::uint32_t> launches_of_row(const OpenRun& run, std::size_t row) {
  const LaunchColumns& launches = run.launches;
  if (analysis::is_memory_operation(run.analysis.rows[row])) return {};
  const std::vector<std::uint32_t>& records = run.analysis.rows[row].launch_indices;
  std::vector<std::uint32_t> found;
  found.reserve(records.size());
  for (const std::uint32_t record : records) {
    std::size_t launch = record;
    if (!launches.record.empty()) {
      // Host record indices are ascending. Some records have no end and are not launches.
      const auto known = std::ranges::lower_bound(launches.record, record);
      if (known == launches.record.end() || *known != record) continue;
      launch = static_cast<std::size_t>(known - launches.record.begin());
    }
    if (launch < launches.size()) found.push_back(static_cast<std::uint32_t>(launch));
  }
  return found;
}

std::map<std::size_t, std::vector<std::uint32_t>> launches_by_track(const OpenRun& run,
                                                                    std::size_t row) {
  const LaunchColumns& launches = run.launches;
  std::vector<std::vector<std::size_t>> tracks(launches.streams.size());
  for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
    const figure::TimelineTrack& track = run.timeline.tracks[t];
    if (!has_launches(run, track)) continue;
    const auto stream = std::ranges::lower_bound(launches.streams, stream_of(track));
    if (stream == launches.streams.end() || *stream != stream_of(track)) continue;
    tracks[static_cast<std::size_t>(stream - launches.streams.begin())].push_back(t);
  }
  std::map<std::size_t, std::vector<std::uint32_t>> found;
  std::vector<std::vector<std::uint32_t>*> lists(run.timeline.tracks.size());
  for (const std::vector<std::size_t>& of_stream : tracks) {
    for (const std::size_t t : of_stream) lists[t] = &found[t];
  }
  for (const std::uint32_t launch : launches_of_row(run, row)) {
    if (launches.end_ns[launch] < launches.start_ns[launch]) continue;  // not on any track
    const std::vector<std::size_t>& of_stream = tracks[launches.stream[launch]];
    // Overlapping launches of one stream are on several tracks.
    for (const std::size_t t : of_stream) {
      if (of_stream.size() > 1 && !slice_of_launch(run, t, launch)) continue;
      lists[t]->push_back(launch);
      break;
    }
  }
  for (auto& [track, list] : found) {
    const auto by_start = [&](std::uint32_t i) { return launches.start_ns[i]; };
    if (!std::ranges::is_sorted(list, {}, by_start)) std::ranges::stable_sort(list, {}, by_start);
  }
  return found;
}

}  // namespace mansard::gui
