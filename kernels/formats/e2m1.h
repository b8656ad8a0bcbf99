// SPDX-License-Identifier: Apache-2.0
// The four-bit number format of NVFP4 and MXFP4 on the host. Rounds to nearest, ties to even.
// Source: OCP Microscaling Formats v1.0.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mansard::kernels {

inline constexpr float kE2m1Max = 6.0f;

// Value of each four-bit code: sign, two exponent bits, one mantissa bit.
inline constexpr std::array<float, 16> kE2m1Values = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,
                                                      4.0f,  6.0f,  -0.0f, -0.5f, -1.0f, -1.5f,
                                                      -2.0f, -3.0f, -4.0f, -6.0f};

// Decodes with integer arithmetic, which compilers can vectorize. From 1.0 on, the three magnitude
// bits of a code are FP32's exponent and first mantissa bit, re-biased; below are 0 and 0.5.
constexpr float from_e2m1(std::uint32_t code) {
  const std::uint32_t magnitude = code & 7u;
  const std::uint32_t bits =
      magnitude >= 2 ? (magnitude << 22) + 0x3f000000u : magnitude * 0x3f000000u;
  return std::bit_cast<float>(bits | (code & 8u) << 28);
}

// Saturates at +-6. A zero is positive unless `x` < 0. NaN becomes +6, as in the hardware's
// conversion (cvt.rn.satfinite.e2m1x2); the block's scale propagates the NaN.
//
// Each comparison is with one midpoint. A tie goes to the even code: the midpoint belongs to the
// lower neighbor if that is even (<=), otherwise to the upper one (<). The comparisons are written
// as "not below" because every comparison with NaN is false. There are no branches, so that
// compilers can vectorize a loop over this function.
constexpr std::uint32_t to_e2m1(float x) {
  const float a = x < 0.0f ? -x : x;
  const std::uint32_t magnitude =
      static_cast<std::uint32_t>(!(a <= 0.25f)) + static_cast<std::uint32_t>(!(a < 0.75f)) +
      static_cast<std::uint32_t>(!(a <= 1.25f)) + static_cast<std::uint32_t>(!(a < 1.75f)) +
      static_cast<std::uint32_t>(!(a <= 2.5f)) + static_cast<std::uint32_t>(!(a < 3.5f)) +
      static_cast<std::uint32_t>(!(a <= 5.0f));
  return magnitude + (static_cast<std::uint32_t>(x < 0.0f) << 3);
}

}  // namespace mansard::kernels
