// SPDX-License-Identifier: Apache-2.0
// Number formats of operands and block scales as bit codes, on the host. Each element format has:
//   kBits (in memory), kInteger, encode(double) -> code, decode(code) -> double
// Sources: those of kernels/vocabulary/precision.h; for the scales OCP Microscaling Formats v1.0
// (UE8M0) and PTX ISA 8.7, "Alternate Floating-Point Data Formats" (UE4M3).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mansard::kernels::element {

// A sign, kExponent bits biased by 2^(kExponent-1) - 1, kMantissa bits, and kPadding low bits that
// the tensor cores ignore. `kMax` is the code of the largest finite value; higher codes are
// infinities and NaNs.
template <int kExponent, int kMantissa, std::uint32_t kMax, int kPadding = 0>
struct Float {
  static constexpr int kBits = 1 + kExponent + kMantissa + kPadding;
  static constexpr bool kInteger = false;

  // Nearest, ties to even; saturates. NaN is not a valid operand.
  static std::uint32_t encode(double x) {
    const double a = std::min(std::fabs(x), magnitude(kMax));
    const int exponent = a > 0 ? std::max(std::ilogb(a), kLowest) : kLowest;
    const auto steps =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(a, kMantissa - exponent)));
    // `steps` contains the leading one of a normal number and a possible carry of the rounding;
    // both correctly increment the exponent field.
    const std::uint32_t code =
        (static_cast<std::uint32_t>(exponent - kLowest) << kMantissa) + steps;
    return (code | (std::signbit(x) ? kSign : 0)) << kPadding;
  }

  static double decode(std::uint32_t code) {
    code >>= kPadding;
    return (code & kSign) != 0 ? -magnitude(code & (kSign - 1)) : magnitude(code);
  }

 private:
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr int kLowest = 1 - kBias;  // exponent of the smallest normal number
  static constexpr std::uint32_t kSign = 1u << (kExponent + kMantissa);

  static double magnitude(std::uint32_t code) {
    if (code > kMax) return std::numeric_limits<double>::quiet_NaN();
    const auto field = static_cast<int>(code >> kMantissa);
    const std::uint32_t mantissa = code & ((1u << kMantissa) - 1);
    const std::uint32_t leading = field > 0 ? 1u << kMantissa : 0;
    return std::ldexp(leading + mantissa, std::max(field - kBias, kLowest) - kMantissa);
  }
};

using Tf32 = Float<8, 10, 0x3fbff, 13>;
using Bf16 = Float<8, 7, 0x7f7f>;
using Fp16 = Float<5, 10, 0x7bff>;
using E4m3 = Float<4, 3, 0x7e>;
using E5m2 = Float<5, 2, 0x7b>;
using E2m1 = Float<2, 1, 0x7>;

struct Fp64 {
  static constexpr int kBits = 64;
  static constexpr bool kInteger = false;
  static std::uint64_t encode(double x) { return std::bit_cast<std::uint64_t>(x); }
  static double decode(std::uint64_t code) { return std::bit_cast<double>(code); }
};

struct Int8 {
  static constexpr int kBits = 8;
  static constexpr bool kInteger = true;
  static constexpr double kMax = 127;
  static std::uint32_t encode(double x) {
    const double clamped = std::clamp(std::nearbyint(x), -kMax, kMax);
    return static_cast<std::uint8_t>(static_cast<std::int8_t>(clamped));
  }
  static double decode(std::uint32_t code) { return static_cast<std::int8_t>(code); }
};

// Block scales. Random data use codes from kFirst to kLast. Their values are close to 1, so that no
// block hides the rounding of others, but differ enough to reveal a misplaced scale.
struct Ue8m0 {
  static constexpr std::uint8_t kOne = 127;
  static constexpr std::uint8_t kFirst = 125;  // 1/4
  static constexpr std::uint8_t kLast = 129;   // 4
  static double decode(std::uint8_t code) { return std::ldexp(1.0, code - kOne); }
};

struct Ue4m3 {
  static constexpr std::uint8_t kOne = 0x38;
  static constexpr std::uint8_t kFirst = 0x30;  // 1/2
  static constexpr std::uint8_t kLast = 0x47;   // 3.75
  static double decode(std::uint8_t code) { return E4m3::decode(code); }
};

}  // namespace mansard::kernels::element
