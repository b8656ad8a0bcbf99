// SPDX-License-Identifier: Apache-2.0
#include "kernels/formats/fp8_format.h"

#include <array>
#include <limits>

namespace mansard::kernels::fp8 {
namespace {

template <Format F>
constexpr float decode_slowly(int code) {
  using Traits = FormatTraits<F>;
  const int magnitude = code & 0x7f;
  const float sign = (code & 0x80) != 0 ? -1.0f : 1.0f;
  const int exponent = magnitude >> Traits::kMantissaBits;
  const int mantissa = magnitude & ((1 << Traits::kMantissaBits) - 1);
  if (F == Format::e4m3 && magnitude == 0x7f) return kNan;
  if (F == Format::e5m2 && magnitude > 0x7c) return kNan;
  if (F == Format::e5m2 && magnitude == 0x7c) return sign * std::numeric_limits<float>::infinity();
  const int significand = exponent == 0 ? mantissa : mantissa + (1 << Traits::kMantissaBits);
  const int power = std::max(exponent, 1) - Traits::kBias - Traits::kMantissaBits;
  const float step = std::bit_cast<float>(static_cast<std::uint32_t>(127 + power) << 23);
  return sign * static_cast<float>(significand) * step;
}

template <Format F>
constexpr std::array<float, 256> table() {
  std::array<float, 256> values{};
  for (int code = 0; code < 256; ++code) {
    values[static_cast<std::size_t>(code)] = decode_slowly<F>(code);
  }
  return values;
}

constexpr std::array<float, 256> kE4m3Values = table<Format::e4m3>();
constexpr std::array<float, 256> kE5m2Values = table<Format::e5m2>();

}  // namespace

std::uint8_t encode(Format format, float x) {
  return format == Format::e4m3 ? encode<Format::e4m3>(x) : encode<Format::e5m2>(x);
}

float decode(Format format, std::uint8_t code) {
  return format == Format::e4m3 ? kE4m3Values[code] : kE5m2Values[code];
}

}  // namespace mansard::kernels::fp8
