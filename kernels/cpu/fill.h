// SPDX-License-Identifier: Apache-2.0
// Test data as a function of seed and position: threads fill their slices in any order, and a check
// computes any element again.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace mansard {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// random_uniform: [-1, 1). random_normal: unit variance, as the sum of the hash's four 16-bit
// fields, which is normal to the eye and bounded by 3.5.
inline double pattern_value(DataPattern pattern, std::uint64_t seed, std::uint64_t index) {
  if (pattern == DataPattern::zeros) return 0;
  const std::uint64_t bits = hash(hash(seed) + index);
  if (pattern == DataPattern::random_uniform) {
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  }
  const std::uint64_t sum =
      (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  constexpr double kInverseDeviation = 1.7320508075688772;  // four uniforms of width 1: sqrt(4/12)
  return (static_cast<double>(sum) * 0x1p-16 - 2) * kInverseDeviation;
}

}  // namespace mansard
