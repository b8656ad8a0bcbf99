// SPDX-License-Identifier: Apache-2.0
// The number formats of NVFP4 on the host: E2M1 elements and E4M3 block scales, nearest-even.
// Sources: "Pretraining Large Language Models with NVFP4" (arXiv 2509.25149) for the format,
// "FP8 Formats for Deep Learning" (arXiv 2209.05433) for E4M3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mansard::kernels::nvfp4 {

inline constexpr int kBlock = 16;  // elements that share one E4M3 scale
inline constexpr float kE2m1Max = 6.0f;
inline constexpr float kE4m3Max = 448.0f;
inline constexpr std::uint8_t kE4m3Nan = 0x7f;

// Value of each four-bit code: sign, two exponent bits, one mantissa bit.
inline constexpr std::array<float, 16> kE2m1Values = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,
                                                      4.0f,  6.0f,  -0.0f, -0.5f, -1.0f, -1.5f,
                                                      -2.0f, -3.0f, -4.0f, -6.0f};

// The same in integer arithmetic, which compilers turn into vector code. From 1.0 on a code's three
// bits of magnitude are FP32's exponent and first mantissa bit, re-biased; below are 0 and 0.5.
constexpr float from_e2m1(std::uint32_t code) {
  const std::uint32_t magnitude = code & 7u;
  const std::uint32_t bits =
      magnitude >= 2 ? (magnitude << 22) + 0x3f000000u : magnitude * 0x3f000000u;
  return std::bit_cast<float>(bits | (code & 8u) << 28);
}

// Saturates at +-6. A zero is positive unless `x` < 0; NaN becomes +6, as the hardware's conversion
// (cvt.rn.satfinite.e2m1x2) has it: the block's scale is what carries a NaN on.
//
// Each comparison is one midpoint. A tie goes to the even code, so a midpoint belongs to the lower
// neighbour where that one is even (<=) and to the upper where it is odd (<). Written as "not
// below" because every comparison with NaN is false. Without branches: compilers turn a loop over
// this into vector code.
constexpr std::uint32_t to_e2m1(float x) {
  const float a = x < 0.0f ? -x : x;
  const std::uint32_t magnitude =
      static_cast<std::uint32_t>(!(a <= 0.25f)) + static_cast<std::uint32_t>(!(a < 0.75f)) +
      static_cast<std::uint32_t>(!(a <= 1.25f)) + static_cast<std::uint32_t>(!(a < 1.75f)) +
      static_cast<std::uint32_t>(!(a <= 2.5f)) + static_cast<std::uint32_t>(!(a < 3.5f)) +
      static_cast<std::uint32_t>(!(a <= 5.0f));
  return magnitude + (static_cast<std::uint32_t>(x < 0.0f) << 3);
}

// Saturates at +-448; NaN stays NaN.
constexpr std::uint8_t to_e4m3(float x) {
  if (x != x) return kE4m3Nan;
  const std::uint8_t sign = x < 0.0f ? 0x80 : 0x00;
  const float a = x < 0.0f ? -x : x;
  if (a >= kE4m3Max) return sign | 0x7e;
  constexpr float kSmallestNormal = 0x1p-6f;
  if (a < kSmallestNormal) {
    // Steps of 2^-9. The sum's ulp is one step, so the addition rounds to nearest, ties to even;
    // eight steps are the code of the smallest normal.
    constexpr float kUlpIsOneStep = 0x1p14f;
    const std::uint32_t steps = std::bit_cast<std::uint32_t>(a + kUlpIsOneStep) & 0xf;
    return sign | static_cast<std::uint8_t>(steps);
  }
  // Keep three mantissa bits, nearest-even; a carry into the exponent is the right code by itself.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(a);
  const std::uint32_t rounded = (bits + 0x7ffffu + ((bits >> 20) & 1u)) >> 20;
  return sign | static_cast<std::uint8_t>(rounded - ((127u - 7u) << 3));
}
float from_e4m3(std::uint8_t code);

}  // namespace mansard::kernels::nvfp4
