// SPDX-License-Identifier: Apache-2.0
// Test data as a function of seed and position: threads fill their slices in any order, and a check
// computes any element again.
#pragma once

#include <cstdint>

namespace mansard {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// In [-1, 1).
inline double uniform_value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(hash(hash(seed) + index) >> 11) * 0x1p-52 - 1;
}

// In [lowest, highest]. The multiplication spreads 32 random bits over the range.
inline int uniform_integer(std::uint64_t seed, std::uint64_t index, int lowest, int highest) {
  const auto count = static_cast<std::uint64_t>(highest - lowest + 1);
  return lowest + static_cast<int>(((hash(hash(seed) + index) >> 32) * count) >> 32);
}

}  // namespace mansard
