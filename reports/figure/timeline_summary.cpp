// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_summary.h"

#include <algorithm>
#include <map>
#include <set>

namespace mansard::figure {
namespace {

// The slices of a track that overlap the window.
struct SliceSpan {
  std::size_t first = 0;
  std::size_t last = 0;  // one past the end
};

SliceSpan stretch_of(const SliceTrack& track, const TimeSpan& window) {
  std::size_t looked_at = 0;
  SliceSpan stretch;
  stretch.first = track.first_starting_at(window.start_ns, 0, looked_at);
  stretch.last = track.first_starting_at(window.end_ns, stretch.first, looked_at);
  if (stretch.first > 0 && track.end_ns(stretch.first - 1) > window.start_ns) --stretch.first;
  return stretch;
}

std::int64_t union_ns(std::vector<TimeSpan>& spans) {
  std::ranges::sort(spans, {}, &TimeSpan::start_ns);
  std::int64_t sum_ns = 0;
  std::int64_t done_ns = INT64_MIN;
  for (const TimeSpan& span : spans) {
    sum_ns += std::max<std::int64_t>(0, span.end_ns - std::max(span.start_ns, done_ns));
    done_ns = std::max(done_ns, span.end_ns);
  }
  return sum_ns;
}

}  // namespace

double WindowSummary::busy_share() const {
  const double whole = static_cast<double>(length_ns) * static_cast<double>(devices);
  return whole > 0 ? static_cast<double>(busy_ns) / whole : 0;
}

WindowSummary summarize(const Timeline& timeline, const TimeSpan& window) {
  WindowSummary sums;
  sums.length_ns = window.end_ns - window.start_ns;
  sums.class_ns.assign(timeline.classes.size(), 0);
  std::map<std::int32_t, std::vector<TimeSpan>> busy;  // by device
  for (const TimelineTrack& track : timeline.tracks) {
    if (track.kind != TrackKind::stream) continue;
    std::vector<TimeSpan>& spans = busy[track.device_id];
    const SliceSpan stretch = stretch_of(track.slices, window);
    if (stretch.first < stretch.last) ++sums.streams;
    for (std::size_t i = stretch.first; i < stretch.last; ++i) {
      const std::int64_t start_ns = std::max(window.start_ns, track.slices.start_ns(i));
      const std::int64_t end_ns = std::min(window.end_ns, track.slices.end_ns(i));
      sums.class_ns[track.slices.class_of(i)] += end_ns - start_ns;
      if (track.slices.start_ns(i) >= window.start_ns) ++sums.launches;
      spans.push_back({start_ns, end_ns});
    }
  }
  sums.devices = busy.size();
  for (auto& [device_id, spans] : busy) sums.busy_ns += union_ns(spans);
  return sums;
}

ClassTimes class_times(const Timeline& timeline, const TimeSpan& window) {
  ClassTimes times;
  times.class_ns.assign(timeline.classes.size(), 0);
  std::set<std::int32_t> devices;
  for (const TimelineTrack& track : timeline.tracks) {
    if (track.kind != TrackKind::stream) continue;
    devices.insert(track.device_id);
    const SliceTrack& slices = track.slices;
    const SliceSpan stretch = stretch_of(slices, window);
    if (stretch.first >= stretch.last) continue;
    std::vector<std::int64_t> time_ns(slices.classes().size());
    std::size_t looked_at = 0;
    slices.add_times(stretch.first, stretch.last, time_ns, looked_at);
    for (std::size_t c = 0; c < time_ns.size(); ++c) {
      times.class_ns[slices.classes()[c]] += time_ns[c];
    }
    // Slices of a track do not overlap, so only the first and last extend beyond the window.
    const std::size_t last = stretch.last - 1;
    times.class_ns[slices.class_of(stretch.first)] -=
        std::max<std::int64_t>(0, window.start_ns - slices.start_ns(stretch.first));
    times.class_ns[slices.class_of(last)] -=
        std::max<std::int64_t>(0, slices.end_ns(last) - window.end_ns);
  }
  times.devices = devices.size();
  return times;
}

std::vector<SliceRef> longest_slices(const Timeline& timeline, const TimeSpan& window,
                                     std::size_t most) {
  const auto before = [&](const SliceRef& a, const SliceRef& b) {
    const SliceTrack& of_a = timeline.tracks[a.track].slices;
    const SliceTrack& of_b = timeline.tracks[b.track].slices;
    const std::int64_t ns_a = of_a.duration_ns(a.slice);
    const std::int64_t ns_b = of_b.duration_ns(b.slice);
    return ns_a != ns_b ? ns_a > ns_b : of_a.start_ns(a.slice) < of_b.start_ns(b.slice);
  };
  if (most == 0) return {};
  // A min-heap of the longest slices so far: a single pass with bounded memory.
  std::vector<SliceRef> found;
  std::int64_t least_ns = -1;
  for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
    const SliceTrack& slices = timeline.tracks[t].slices;
    if (timeline.tracks[t].kind != TrackKind::stream) continue;
    const SliceSpan stretch = stretch_of(slices, window);
    for (std::size_t i = stretch.first; i < stretch.last; ++i) {
      if (slices.duration_ns(i) < least_ns || slices.start_ns(i) < window.start_ns) continue;
      if (found.size() == most) {
        if (!before({t, i}, found.front())) continue;
        std::ranges::pop_heap(found, before);
        found.pop_back();
      }
      found.push_back({t, i});
      std::ranges::push_heap(found, before);
      if (found.size() == most) {
        const SliceRef& least = found.front();
        least_ns = timeline.tracks[least.track].slices.duration_ns(least.slice);
      }
    }
  }
  std::ranges::sort_heap(found, before);
  return found;
}

}  // namespace mansard::figure
