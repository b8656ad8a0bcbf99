// SPDX-License-Identifier: Apache-2.0
// BF16 stored as 16 bits, identical on host and device, with conversions for the host.
#pragma once

#include <bit>
#include <cstdint>

namespace mansard::kernels {

struct Bf16 {
  std::uint16_t bits;
  friend constexpr bool operator==(Bf16, Bf16) = default;
};

namespace bf16 {

inline constexpr std::uint16_t kMagnitudeMask = 0x7fff;
inline constexpr std::uint16_t kNan = 0x7fff;  // CUDA's conversions return this code for every NaN

constexpr float to_float(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

// Nearest, ties to even, with integers only: adding half an ulp (plus one if the kept part is odd)
// carries into the exponent exactly when rounding must.
constexpr Bf16 from_float(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? kNan : rounded)};
}

}  // namespace bf16
}  // namespace mansard::kernels
