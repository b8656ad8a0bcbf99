// SPDX-License-Identifier: Apache-2.0
// Test and benchmark inputs with identical bits on host and device: element i is a function of
// (pattern, seed, i), computed with integer arithmetic and one rounded FP32 multiplication.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"
#include "kernels/formats/half.h"
#include "kernels/kernel.h"
#include "support/hash.h"

namespace mansard::kernels {

namespace random_input {

// Element i owns two sets of 64 uniform bits: mix64(state) and mix64(state + kGoldenRatio64).
constexpr std::uint64_t state(std::uint64_t seed, std::uint64_t i) {
  return mix64(seed * kGoldenRatio64 + 1) + 2 * i * kGoldenRatio64;
}

constexpr std::int32_t sum_of_words(std::uint64_t z) {
  return static_cast<std::int32_t>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) +
                                   (z >> 48));
}

// Sum of eight uniform words minus its mean, 8 * 32767.5: approximately normal (Irwin-Hall), with
// standard deviation 65536 * sqrt(8 / 12).
inline constexpr float kNormalDeviation = 53509.9f;
constexpr std::int32_t normal_sum(std::uint64_t state) {
  return sum_of_words(mix64(state)) + sum_of_words(mix64(state + kGoldenRatio64)) - 262140;
}

}  // namespace random_input

// The tails of normal data end at 4.9. Both patterns are multiplied by 2^`exponent`.
constexpr float random_float(DataPattern pattern, std::uint64_t seed, std::uint64_t i,
                             int exponent = 0) {
  if (pattern == DataPattern::zeros) return 0.0f;
  const std::uint64_t state = random_input::state(seed, i);
  // A power of two built from its exponent bits: exact, and constexpr on host and device.
  const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
  if (pattern == DataPattern::random_uniform) {
    const auto step = static_cast<std::int32_t>(mix64(state) >> 48);
    return static_cast<float>(step) * (scale / 65536.0f);
  }
  return static_cast<float>(random_input::normal_sum(state)) *
         (scale / random_input::kNormalDeviation);
}

constexpr Bf16 random_bf16(DataPattern pattern, std::uint64_t seed, std::uint64_t i,
                           int exponent = 0) {
  return bf16::from_float(random_float(pattern, seed, i, exponent));
}

// data[i] = random_float(...), rounded to the type; runs on all cores.
void fill_random(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent = 0);
void fill_random(Half* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent = 0);
void fill_random(float* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent = 0);

}  // namespace mansard::kernels
