// SPDX-License-Identifier: Apache-2.0
// Test data as a function of seed and position, so that threads can fill their slices in any order
// and a check can recompute any element.
#pragma once

#include <cstdint>

#include "support/hash.h"

namespace mansard::kernels {

// In [-1, 1).
inline double uniform_value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(splitmix64(splitmix64(seed) + index) >> 11) * 0x1p-52 - 1;
}

// In [lowest, highest]. The multiplication maps 32 random bits to the range.
inline int uniform_integer(std::uint64_t seed, std::uint64_t index, int lowest, int highest) {
  const auto count = static_cast<std::uint64_t>(highest - lowest + 1);
  return lowest + static_cast<int>(((splitmix64(splitmix64(seed) + index) >> 32) * count) >> 32);
}

}  // namespace mansard::kernels
