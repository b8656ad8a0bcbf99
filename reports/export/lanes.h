// SPDX-License-Identifier: Apache-2.0
// Trace viewers require the slices of a track to be nested; they drop or distort other overlaps.
// Kernels of a stream can overlap (programmatic dependent launch, graph nodes), and so can
// start/end ranges of a thread. These classes distribute such events over as few tracks as
// possible.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::reports {

// For events that must not be nested. Call in the order of starts, then ends.
class SerialLanes {
 public:
  std::size_t place(std::int64_t start_ns, std::int64_t end_ns) {
    std::size_t lane = 0;
    while (lane < ends_ns_.size() && ends_ns_[lane] > start_ns) ++lane;
    if (lane == ends_ns_.size()) ends_ns_.push_back(end_ns);
    ends_ns_[lane] = end_ns;
    return lane;
  }

 private:
  std::vector<std::int64_t> ends_ns_;  // end of the last event of each lane
};

// For events that may be nested. Call in the order of starts, then the longest first.
class NestingLanes {
 public:
  std::size_t place(std::int64_t start_ns, std::int64_t end_ns) {
    for (std::size_t lane = 0; lane < open_ns_.size(); ++lane) {
      std::vector<std::int64_t>& open = open_ns_[lane];
      while (!open.empty() && open.back() <= start_ns) open.pop_back();
      if (!open.empty() && open.back() < end_ns) continue;
      open.push_back(end_ns);
      return lane;
    }
    open_ns_.push_back({end_ns});
    return open_ns_.size() - 1;
  }

 private:
  std::vector<std::vector<std::int64_t>>
      open_ns_;  // ends of the open events of each lane, innermost last
};

}  // namespace mansard::reports
