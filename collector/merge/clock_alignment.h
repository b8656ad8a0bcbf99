// SPDX-License-Identifier: Apache-2.0
// Aligns the clocks of ranks by events that are known to be simultaneous. Clocks of hosts differ by
// hundreds of µs and drift by a few µs per second.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::collector {

// Added to a rank's clock to get the first rank's clock.
struct ClockShift {
  std::int64_t offset_ns = 0;  // at middle_ns
  double drift = 0;            // change of the offset over time; 1e-6 is 1 µs per second
  std::int64_t middle_ns = 0;  // on the clock itself

  std::int64_t at(std::int64_t time_ns) const;
};

// An event that is simultaneous on two ranks, as each one's clock has it.
struct CommonEvent {
  std::int64_t reference_ns = 0;
  std::int64_t own_ns = 0;
};

struct ClockFit {
  ClockShift shift;       // from the own clock to the reference
  double scatter_ns = 0;  // median distance of the events from the fit
};

// Robust: the offset is a median, and the drift the median slope (Theil-Sen), which is omitted if
// not significant. `events` must not be empty.
ClockFit fit_clock(const std::vector<CommonEvent>& events);

struct ClockAlignment {
  std::vector<ClockShift> shifts;  // by rank
  // Time between the first and the last end of a collective on the aligned clocks.
  double median_residual_ns = 0;
  double largest_residual_ns = 0;
};

// Minimum number of common events for alignment: with fewer, a few delayed events could distort the
// medians.
inline constexpr std::size_t kNeededCollectives = 8;

// `ends_ns`: for each event, its time on each rank's clock, ordered by the first rank's times.
// Throws std::runtime_error if there are too few events.
ClockAlignment align_clocks(const std::vector<std::vector<std::int64_t>>& ends_ns);

}  // namespace mansard::collector
