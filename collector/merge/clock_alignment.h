// SPDX-License-Identifier: Apache-2.0
// How the ranks' clocks differ, from events that are known to be simultaneous. Clocks of hosts
// differ by hundreds of microseconds and drift by some microseconds a second.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::collector {

// What is added to a clock to get the first rank's.
struct ClockShift {
  std::int64_t offset_ns = 0;  // at middle_ns
  double drift = 0;            // change of the offset per time; 1e-6 is a microsecond a second
  std::int64_t middle_ns = 0;  // on the clock itself

  std::int64_t at(std::int64_t time_ns) const;
};

struct ClockAlignment {
  std::vector<ClockShift> shifts;  // by rank
  // On the aligned clocks, the time between the first and the last end of a collective.
  double median_residual_ns = 0;
  double largest_residual_ns = 0;
};

// The fewest common events from which clocks are taken to be known: medians of fewer could be led
// astray by a few that were delayed.
inline constexpr std::size_t kNeededCollectives = 8;

// `ends_ns`: of each event, its time on each rank's clock, in the order of the first rank's.
// Robust: offsets are medians, the drift is the median slope (Theil and Sen) and is left out where
// the differences do not show one. Throws std::runtime_error if there are too few events.
ClockAlignment align_clocks(const std::vector<std::vector<std::int64_t>>& ends_ns);

}  // namespace mansard::collector
