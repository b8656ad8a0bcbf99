// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_slices.h"

#include <algorithm>

namespace mansard {
namespace {

bool has_launches(const OpenRun& run, const TimelineTrack& track) {
  const bool of_host = !run.launches.record.empty();
  return track.kind == (of_host ? TrackKind::host_ranges : TrackKind::stream);
}

bool is(const LaunchColumns& launches, std::size_t launch, const Slice& slice,
        const StreamKey& stream) {
  return launches.start_ns[launch] == slice.start_ns && launches.end_ns[launch] == slice.end_ns &&
         launches.streams[launches.stream[launch]] == stream;
}

// The first at or after `launch`, which starts no later than the slice. Of several with the same
// times on one stream, that of the slice's row.
std::optional<std::size_t> find_launch(const OpenRun& run, const TimelineTrack& track,
                                       std::size_t i, std::size_t launch) {
  const LaunchColumns& launches = run.launches;
  const Slice slice = track.slices.slice(i);
  const std::int32_t row = run.timeline.names[slice.key].row;
  const StreamKey stream = stream_of(track);
  for (; launch < launches.size() && launches.start_ns[launch] <= slice.start_ns; ++launch) {
    if (!is(launches, launch, slice, stream)) continue;
    if (row < 0 || launches.row[launch] == static_cast<std::uint32_t>(row)) return launch;
  }
  return std::nullopt;
}

std::optional<std::size_t> slice_starting_at(const SliceTrack& slices, std::int64_t start_ns,
                                             std::int64_t end_ns) {
  std::size_t looked_at = 0;
  std::size_t i = slices.first_starting_at(start_ns, 0, looked_at);
  // What has no length may share its start with what follows.
  for (; i < slices.size() && slices.start_ns(i) == start_ns; ++i) {
    if (slices.end_ns(i) == end_ns) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> launch_of(const OpenRun& run, const SliceRef& slice) {
  const TimelineTrack& track = run.timeline.tracks[slice.track];
  if (!has_launches(run, track)) return std::nullopt;
  const std::vector<std::int64_t>& starts = run.launches.start_ns;
  const auto first = std::ranges::lower_bound(starts, track.slices.start_ns(slice.slice));
  return find_launch(run, track, slice.slice, static_cast<std::size_t>(first - starts.begin()));
}

std::optional<SliceRef> slice_of(const OpenRun& run, std::size_t launch) {
  const LaunchColumns& launches = run.launches;
  const StreamKey stream = launches.streams[launches.stream[launch]];
  for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
    const TimelineTrack& track = run.timeline.tracks[t];
    if (!has_launches(run, track) || stream_of(track) != stream) continue;
    const auto slice =
        slice_starting_at(track.slices, launches.start_ns[launch], launches.end_ns[launch]);
    if (slice) return SliceRef{t, *slice};
  }
  return std::nullopt;
}

std::optional<SliceRef> call_of(const OpenRun& run, std::size_t launch) {
  const std::optional<std::size_t> number = run.launches.call_of(launch);
  if (!number) return std::nullopt;
  const ApiRecord call = run.analysis.profile.api_calls[*number];
  for (std::size_t t = 0; t < run.timeline.tracks.size(); ++t) {
    const TimelineTrack& track = run.timeline.tracks[t];
    if (track.kind != TrackKind::calls || track.queue.stream_id != call.global_tid) continue;
    const auto slice = slice_starting_at(track.slices, call.start_ns, call.end_ns);
    if (slice) return SliceRef{t, *slice};
  }
  return std::nullopt;
}

SliceTrack slices_of_row(const OpenRun& run, std::size_t track, std::size_t row) {
  static const auto one_class = std::make_shared<const ClassOfKey>(ClassOfKey{0});
  SliceColumns found;
  const TimelineTrack& all = run.timeline.tracks[track];
  const bool of_host = !run.launches.record.empty();
  std::size_t launch = 0;  // of the host: keys do not tell rows, but both are in order
  for (std::size_t i = 0; has_launches(run, all) && i < all.slices.size(); ++i) {
    if (!of_host) {
      if (run.timeline.names[all.slices.key(i)].row != static_cast<std::int32_t>(row)) continue;
    } else {
      const LaunchColumns& launches = run.launches;
      const std::int64_t start_ns = all.slices.start_ns(i);
      while (launch < launches.size() && launches.start_ns[launch] < start_ns) ++launch;
      const auto same = find_launch(run, all, i, launch);
      if (!same || launches.row[*same] != row) continue;
    }
    found.push_back({all.slices.start_ns(i), all.slices.end_ns(i), 0});
  }
  return SliceTrack(std::move(found), one_class);
}

}  // namespace mansard
