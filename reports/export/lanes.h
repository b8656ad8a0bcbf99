// SPDX-License-Identifier: Apache-2.0
// Viewers of traces nest what one track holds, and drop or distort what overlaps without nesting.
// Kernels of one stream do overlap (programmatic dependent launch, nodes of a graph), and so do
// start/end ranges of one thread. These put such events on as few tracks as it takes.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::reports {

// For events of which none may be inside another. Ask in the order of starts and, of equal starts,
// of ends.
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
  std::vector<std::int64_t> ends_ns_;  // of the last event of each
};

// For events that may nest. Ask in the order of starts and, of equal starts, the longest first.
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
  std::vector<std::vector<std::int64_t>> open_ns_;  // ends of what is open on each, innermost last
};

}  // namespace mansard::reports
