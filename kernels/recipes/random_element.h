// SPDX-License-Identifier: Apache-2.0
// Element i of a random tensor of any operand format, as a function of (pattern, seed, i) with
// identical bits on host and device, so that a check on the host needs no copy of the operands. The
// distributions are those of random_input.h. Small formats hold its values rounded; wide formats
// fill their whole mantissa, because bits that never toggle would reduce power.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/random_input.h"

namespace mansard::kernels {

enum class ElementFormat : std::uint8_t {
  fp64,
  fp32,
  tf32,  // FP32 with the low 13 bits zero
  fp16,
  bf16,
  fp8_e4m3,
  int8,
  int32,
  fp4_e2m1,    // two per byte, the even element in the low half
  scale_e8m0,  // block scales: powers of two
  scale_e4m3,
};

constexpr int bits_per_element(ElementFormat format) {
  switch (format) {
    case ElementFormat::fp64:
      return 64;
    case ElementFormat::fp32:
    case ElementFormat::tf32:
    case ElementFormat::int32:
      return 32;
    case ElementFormat::fp16:
    case ElementFormat::bf16:
      return 16;
    case ElementFormat::fp8_e4m3:
    case ElementFormat::int8:
    case ElementFormat::scale_e8m0:
    case ElementFormat::scale_e4m3:
      return 8;
    case ElementFormat::fp4_e2m1:
      return 4;
  }
  return 0;
}

// Nearest value, ties to even, in an IEEE-like format of `exponent_bits` and `mantissa_bits`. |x|
// must be within the format's range, which holds for every element here.
constexpr std::uint32_t to_small_float(float x, int exponent_bits, int mantissa_bits) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 31) << (exponent_bits + mantissa_bits);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto smallest_normal = static_cast<std::uint32_t>(127 + 1 - bias) << 23;
  if (magnitude < smallest_normal) {
    // Near 2^23, FP32 has steps of 1. Scaled so that the format's step is also 1, the addition
    // rounds, and the low bits of the sum count the steps.
    const auto scale_exponent = static_cast<std::uint32_t>(127 + bias - 1 + mantissa_bits);
    const float scaled =
        std::bit_cast<float>(magnitude) * std::bit_cast<float>(scale_exponent << 23);
    return sign | (std::bit_cast<std::uint32_t>(scaled + 0x1p23f) & 0x7fffffu);
  }
  const int dropped = 23 - mantissa_bits;
  const std::uint32_t half = (1u << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1u);
  return sign | ((magnitude + half - (static_cast<std::uint32_t>(127 - bias) << 23)) >> dropped);
}

constexpr double random_double(DataPattern pattern, std::uint64_t seed, std::uint64_t i) {
  if (pattern == DataPattern::zeros) return 0.0;
  const std::uint64_t state = random_input::state(seed, i);
  if (pattern == DataPattern::random_uniform) {
    return static_cast<double>(mix64(state) >> 11) * 0x1p-53;
  }
  return static_cast<double>(random_input::normal_sum(state)) *
         (1.0 / double{random_input::kNormalDeviation});
}

// Uniform: every code except -128. Normal: standard deviation of 26, with tails that end at 127.
constexpr std::int32_t random_int8(DataPattern pattern, std::uint64_t seed, std::uint64_t i) {
  if (pattern == DataPattern::zeros) return 0;
  const std::uint64_t state = random_input::state(seed, i);
  if (pattern == DataPattern::random_uniform) {
    return static_cast<std::int32_t>((mix64(state) >> 32) * 255 >> 32) - 127;
  }
  constexpr std::int32_t kDeviation = 53510;
  const std::int32_t scaled = 26 * random_input::normal_sum(state);
  return (scaled + (scaled < 0 ? -kDeviation / 2 : kDeviation / 2)) / kDeviation;
}

// Bits of element i, right-aligned. Not for int32, which is a result format only.
constexpr std::uint64_t random_bits(ElementFormat format, DataPattern pattern, std::uint64_t seed,
                                    std::uint64_t i) {
  switch (format) {
    case ElementFormat::fp64:
      return std::bit_cast<std::uint64_t>(random_double(pattern, seed, i));
    case ElementFormat::fp32:
    case ElementFormat::tf32: {
      const auto x =
          std::bit_cast<std::uint32_t>(static_cast<float>(random_double(pattern, seed, i)));
      if (format == ElementFormat::fp32) return x;
      return (x + 0xfffu + ((x >> 13) & 1u)) & ~0x1fffu;
    }
    case ElementFormat::fp16:
      return to_small_float(random_float(pattern, seed, i), 5, 10);
    case ElementFormat::bf16:
      return random_bf16(pattern, seed, i).bits;
    case ElementFormat::fp8_e4m3:
      return to_small_float(random_float(pattern, seed, i), 4, 3);
    case ElementFormat::int8:
      return static_cast<std::uint8_t>(random_int8(pattern, seed, i));
    case ElementFormat::fp4_e2m1:
      return to_e2m1(random_float(pattern, seed, i));
    case ElementFormat::scale_e8m0:
    case ElementFormat::scale_e4m3: {
      // 1/2, 1 or 2, so that a missing or misplaced scale changes the product.
      const std::uint64_t choice =
          pattern == DataPattern::zeros ? 1 : (mix64(random_input::state(seed, i)) >> 32) * 3 >> 32;
      return format == ElementFormat::scale_e8m0 ? 126 + choice : 0x30 + 8 * choice;
    }
    case ElementFormat::int32:
      break;
  }
  return 0;
}

// Value of a format's right-aligned bits.
double element_value(ElementFormat format, std::uint64_t bits);

inline double random_element(ElementFormat format, DataPattern pattern, std::uint64_t seed,
                             std::uint64_t i) {
  return element_value(format, random_bits(format, pattern, seed, i));
}

}  // namespace mansard::kernels
