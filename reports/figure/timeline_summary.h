// SPDX-License-Identifier: Apache-2.0
// Statistics of the device activity in a time window.
#pragma once

#include <vector>

#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

// Slices that overlap the edges of the window count with their part inside.
struct WindowSummary {
  std::int64_t length_ns = 0;
  std::int64_t busy_ns = 0;  // time with activity on any stream, summed over devices
  std::size_t devices = 0;   // number of devices with streams
  std::size_t streams = 0;   // number of stream rows with activity
  std::size_t launches = 0;  // stream slices that start in it, including memcpys and memsets
  std::vector<std::int64_t> class_ns;  // by Timeline::classes: sums over all streams

  // Busy share of the devices' time; 0 without devices.
  double busy_share() const;
};

WindowSummary summarize(const Timeline& timeline, const TimeSpan& window);

// The part of the summary whose cost does not depend on the number of slices.
struct ClassTimes {
  std::vector<std::int64_t> class_ns;  // as in WindowSummary
  std::size_t devices = 0;
};

ClassTimes class_times(const Timeline& timeline, const TimeSpan& window);

// A slice of a stream.
struct SliceRef {
  std::size_t track = 0;
  std::size_t slice = 0;
};

// The at most `most` longest slices that start in the window, longest first; earlier ones first if
// equal.
std::vector<SliceRef> longest_slices(const Timeline& timeline, const TimeSpan& window,
                                     std::size_t most);

}  // namespace mansard::figure
