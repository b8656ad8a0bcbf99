// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/formats.h"

#include <bit>
#include <limits>

namespace mansard::nvfp4 {

std::uint8_t to_e4m3(float x) {
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

namespace {

constexpr float decode_e4m3(int code) {
  const int exponent = (code >> 3) & 0xf;
  const int mantissa = code & 7;
  float a = 0.0f;
  if (exponent == 15 && mantissa == 7) {
    a = std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    a = static_cast<float>(mantissa) * 0x1p-9f;
  } else {
    a = static_cast<float>((8 + mantissa) << exponent) * 0x1p-10f;
  }
  return (code & 0x80) != 0 ? -a : a;
}

constexpr std::array<float, 256> kE4m3Values = [] {
  std::array<float, 256> values{};
  for (int code = 0; code < 256; ++code) values[static_cast<std::size_t>(code)] = decode_e4m3(code);
  return values;
}();

}  // namespace

float from_e4m3(std::uint8_t code) { return kE4m3Values[code]; }

}  // namespace mansard::nvfp4
