// SPDX-License-Identifier: Apache-2.0
// What ran on the devices in a stretch of a timeline, in numbers.
#pragma once

#include <vector>

#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

// Slices that reach into or out of the window count with their part inside.
struct WindowSummary {
  std::int64_t length_ns = 0;
  std::int64_t busy_ns = 0;  // any stream of a device was, summed over devices
  std::size_t devices = 0;   // with streams at all
  std::size_t streams = 0;   // rows of streams on which anything ran
  std::size_t launches = 0;  // slices of streams that begin in it, copies and fills among them
  std::vector<std::int64_t> class_ns;  // by Timeline::classes: sums over all streams

  // Of the devices' time; 0 where there is none.
  double busy_share() const;
};

WindowSummary summarize(const Timeline& timeline, const TimeSpan& window);

// The part of it that costs the same however many slices there are.
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

// Those that begin in the window, the longest first, at most `most`; of equal ones the earlier.
std::vector<SliceRef> longest_slices(const Timeline& timeline, const TimeSpan& window,
                                     std::size_t most);

}  // namespace mansard::figure
