// SPDX-License-Identifier: Apache-2.0
// The 8-bit number formats on the host: E4M3 and E5M2 elements, E8M0 block scales.
// Sources: "FP8 Formats for Deep Learning" (arXiv 2209.05433), OCP Microscaling Formats v1.0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace mansard::kernels::fp8 {

enum class Format : std::uint8_t { e4m3, e5m2 };

template <Format F>
struct FormatTraits;

template <>
struct FormatTraits<Format::e4m3> {
  static constexpr int kMantissaBits = 3;
  static constexpr int kBias = 7;
  static constexpr float kMax = 448.0f;  // code 0x7e; there is no infinity
};

template <>
struct FormatTraits<Format::e5m2> {
  static constexpr int kMantissaBits = 2;
  static constexpr int kBias = 15;
  static constexpr float kMax =
      57344.0f;  // code 0x7b; 0x7c is infinity, which encode() never returns
};

inline constexpr std::uint8_t kNanCode = 0x7f;  // the NaN code of encode(), in both formats
inline constexpr std::uint8_t kE8m0Nan = 0xff;
// CUDA's arithmetic returns this for every NaN. Stated explicitly, because a CPU keeps NaN
// payloads.
inline constexpr float kNan = std::bit_cast<float>(0x7fffffffu);

constexpr float max_value(Format format) {
  return format == Format::e4m3 ? FormatTraits<Format::e4m3>::kMax
                                : FormatTraits<Format::e5m2>::kMax;
}

// Nearest, ties to even; saturates, also for infinities; NaN stays NaN but loses its sign; -0 keeps
// its sign. Selections use masks so that compilers vectorize a loop over this function; with ?:
// they would leave the addition behind a branch.
template <Format F>
constexpr std::uint8_t encode(float x) {
  using Traits = FormatTraits<F>;
  constexpr int kDropped = 23 - Traits::kMantissaBits;
  constexpr int kSmallestNormal = (128 - Traits::kBias) << 23;
  // Below the smallest normal, codes are steps of this float's ulp: adding it rounds to them.
  constexpr int kUlpIsOneStep = (127 + kDropped + 1 - Traits::kBias) << 23;
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t magnitude = bits & 0x7fffffff;
  const std::int32_t a = std::min(magnitude, std::bit_cast<std::int32_t>(Traits::kMax));
  const float stepped = std::bit_cast<float>(a) + std::bit_cast<float>(kUlpIsOneStep);
  const std::int32_t subnormal = std::bit_cast<std::int32_t>(stepped) - kUlpIsOneStep;
  // A carry out of the kept mantissa into the exponent already gives the right code.
  const std::int32_t half = (1 << (kDropped - 1)) - 1 + ((a >> kDropped) & 1);
  const std::int32_t normal =
      ((a + half) >> kDropped) - ((127 - Traits::kBias) << Traits::kMantissaBits);
  const std::int32_t small = -static_cast<std::int32_t>(a < kSmallestNormal);  // all ones if so
  const std::int32_t nan = -static_cast<std::int32_t>(magnitude > 0x7f800000);
  const std::int32_t code = (subnormal & small) | (normal & ~small) | ((bits >> 24) & 0x80);
  return static_cast<std::uint8_t>((code & ~nan) | (kNanCode & nan));
}
std::uint8_t encode(Format format, float x);

// E5M2 codes 0x7c and 0xfc are infinities. Every NaN code gives kNan.
float decode(Format format, std::uint8_t code);

// The smallest power of two >= x, for x >= 0, as exponent + 127. As in Transformer Engine, 0 and
// all values up to 2^-127 give 0, infinity gives 0xfe and NaN gives 0xff.
constexpr std::uint8_t to_e8m0(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (bits > 0x7f800000u) return kE8m0Nan;
  if (bits <= 0x00400000u) return 0;
  return static_cast<std::uint8_t>(std::min((bits + 0x7fffffu) >> 23, 254u));
}

// 2^(exponent - 127) and 2^(127 - exponent). Both are exact, though subnormal at one end.
constexpr float from_e8m0(std::uint8_t exponent) {
  if (exponent == kE8m0Nan) return kNan;
  return std::bit_cast<float>(exponent == 0 ? 0x00400000u : std::uint32_t{exponent} << 23);
}
constexpr float e8m0_reciprocal(std::uint8_t exponent) {
  return exponent == kE8m0Nan ? kNan : from_e8m0(static_cast<std::uint8_t>(254 - exponent));
}

}  // namespace mansard::kernels::fp8
