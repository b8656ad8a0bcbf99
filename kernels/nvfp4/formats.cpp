// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/formats.h"

#include <limits>

namespace mansard::kernels::nvfp4 {

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

}  // namespace mansard::kernels::nvfp4
