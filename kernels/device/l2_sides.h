// SPDX-License-Identifier: Apache-2.0
// Which SMs and which lines belong to the same partition of a split L2, from measured latencies.
#pragma once

#include <cstdint>
#include <vector>

namespace mansard::kernels {

struct L2Sides {
  std::vector<int> of_sm;    // 0 or 1
  std::vector<int> of_line;  // 0 or 1: the side whose SMs have the line near
  double near_cycles = 0;    // mean latencies
  double far_cycles = 0;
};

// `cycles[sm * lines + line]`: hit latency of a line as an SM saw it. Throws std::runtime_error,
// with what was found instead, when the lines do not fall into two groups.
L2Sides split_l2(const std::vector<std::uint16_t>& cycles, int sms, int lines);

}  // namespace mansard::kernels
