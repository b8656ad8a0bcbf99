// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace mansard {

// 2^64 over the golden ratio: the increment of SplitMix64.
inline constexpr std::uint64_t kGoldenRatio64 = 0x9e3779b97f4a7c15u;

// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014): a bijection in which every input bit affects every output bit.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// One step of SplitMix64: uniform bits for each `x`, also for consecutive ones.
constexpr std::uint64_t splitmix64(std::uint64_t x) { return mix64(x + kGoldenRatio64); }

// The hash of several values, one after the other. Not for files: it may change.
class HashBuilder {
 public:
  template <class Integer>
  HashBuilder& add(Integer value) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * kGoldenRatio64;
    hash_ ^= hash_ >> 32;
    return *this;
  }
  HashBuilder& add(const std::array<std::int32_t, 3>& extent) {
    return add(extent[0]).add(extent[1]).add(extent[2]);
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace mansard
