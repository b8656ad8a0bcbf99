// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mansard::nvfp4 {

std::uint8_t to_e4m3(float x) {
  if (std::isnan(x)) return kE4m3Nan;
  const std::uint8_t sign = std::signbit(x) ? 0x80 : 0x00;
  const float a = std::fabs(x);
  if (a >= kE4m3Max) return sign | 0x7e;
  if (a == 0.0f) return sign;
  // The spacing of E4M3 values at `a`: 2^-9 below the smallest normal 2^-6, else 2^(exponent - 3).
  int exponent = 0;
  std::frexp(a, &exponent);  // a = f * 2^exponent, f in [0.5, 1)
  const int binade = std::max(exponent - 1, -6);
  // Exact: a has 24 bits and the factor is a power of two. nearbyint ties to even.
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(a, 3 - binade)));
  // In a normal binade `steps` is 8..16, and 16 is the next binade's 8: the sum carries by itself.
  return sign | static_cast<std::uint8_t>(((binade + 6) << 3) + steps);
}

float from_e4m3(std::uint8_t code) {
  const int exponent = (code >> 3) & 0xf;
  const int mantissa = code & 7;
  float a = 0.0f;
  if (exponent == 15 && mantissa == 7) {
    a = std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    a = std::ldexp(static_cast<float>(mantissa), -9);
  } else {
    a = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  }
  return (code & 0x80) != 0 ? -a : a;
}

}  // namespace mansard::nvfp4
