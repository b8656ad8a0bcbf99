// SPDX-License-Identifier: Apache-2.0
// FP16 stored as 16 bits, identical on host and device, with conversions for the host.
#pragma once

#include <bit>
#include <cstdint>

namespace mansard::kernels {

struct Half {
  std::uint16_t bits;
  friend constexpr bool operator==(Half, Half) = default;
};

namespace half {

inline constexpr std::uint16_t kNan = 0x7fff;  // CUDA's conversions return this code for every NaN
inline constexpr std::uint16_t kInfinity = 0x7c00;
inline constexpr std::uint16_t kMagnitudeMask = 0x7fff;

// Exact. Every NaN gives 0x7fffffff.
constexpr float to_float(Half x) {
  const std::uint32_t magnitude = x.bits & kMagnitudeMask;
  // Read as FP32 the bits are the value times 2^-112, subnormals included.
  const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000) << 16;
  const std::uint32_t number = sign | (magnitude < kInfinity ? std::bit_cast<std::uint32_t>(finite)
                                                             : std::uint32_t{0x7f800000});
  return std::bit_cast<float>(magnitude > kInfinity ? std::uint32_t{0x7fffffff} : number);
}

// Nearest, ties to even; values that round above 65504 become infinite.
constexpr Half from_float(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {kNan};
  constexpr auto kBits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
  if (magnitude >= kBits(65520.0f)) return {static_cast<std::uint16_t>(sign | kInfinity)};
  std::uint32_t code = 0;
  if (magnitude < kBits(0x1p-14f)) {
    // Subnormal codes are steps of 2^-24, which is the ulp of 1/2: adding 1/2 rounds to them.
    code = kBits(std::bit_cast<float>(magnitude) + 0.5f) - kBits(0.5f);
  } else {
    code = ((magnitude + 0xfffu + (magnitude >> 13 & 1u)) >> 13) - ((127u - 15u) << 10);
  }
  return {static_cast<std::uint16_t>(sign | code)};
}

}  // namespace half
}  // namespace mansard::kernels
