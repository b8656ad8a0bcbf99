// SPDX-License-Identifier: Apache-2.0
// Test and benchmark inputs that the host and the device produce with the same bits: element i is a
// function of (pattern, seed, i) by integer arithmetic and one rounded FP32 multiplication.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/nvfp4/bf16.h"

namespace mansard {

namespace random_input {

// The finaliser of SplitMix64 ("Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr std::int32_t sum_of_words(std::uint64_t z) {
  return static_cast<std::int32_t>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) +
                                   (z >> 48));
}

}  // namespace random_input

// random_uniform: [-1, 1). random_normal: mean 0, variance 1, as the sum of eight uniforms
// (Irwin-Hall, tails end at 4.9). Both are multiplied by 2^`exponent`.
constexpr Bf16 random_bf16(DataPattern pattern, std::uint64_t seed, std::uint64_t i,
                           int exponent = 0) {
  if (pattern == DataPattern::zeros) return {0};
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  const std::uint64_t state = random_input::mix(seed * kStep + 1) + 2 * i * kStep;
  const std::uint64_t first = random_input::mix(state);
  // A power of two with the exponent in place: exact, and constexpr on both sides.
  const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
  if (pattern == DataPattern::random_uniform) {
    const auto step = static_cast<std::int32_t>(first >> 48) - 32768;
    return bf16::from_float(static_cast<float>(step) * (scale / 32768.0f));
  }
  const std::int32_t sum = random_input::sum_of_words(first) +
                           random_input::sum_of_words(random_input::mix(state + kStep));
  // Eight words have mean 8 * 32767.5 and standard deviation 65536 * sqrt(8 / 12) = 53509.9.
  return bf16::from_float(static_cast<float>(sum - 262140) * (scale / 53509.9f));
}

// data[i] = random_bf16(...), on all cores.
void fill_random(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent = 0);

}  // namespace mansard
