// SPDX-License-Identifier: Apache-2.0
// Assigns SMs and cache lines to the partitions of a split L2, based on measured latencies.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::kernels {

struct L2Sides {
  std::vector<int> of_sm;    // 0 or 1
  std::vector<int> of_line;  // 0 or 1: the side whose SMs are near the line
  double near_cycles = 0;    // mean latencies
  double far_cycles = 0;
};

// `cycles[sm * lines + line]`: hit latency of a line measured from an SM. Throws std::runtime_error
// with the observed values if the lines do not form two groups.
L2Sides split_l2(const std::vector<std::uint16_t>& cycles, int sms, int lines);

}  // namespace mansard::kernels
