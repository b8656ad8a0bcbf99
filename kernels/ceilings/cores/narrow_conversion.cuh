// SPDX-License-Identifier: Apache-2.0
// Conversions from FP32 pairs to formats of 8 bits or less. A chain holds three numbers, with c the
// newest, and converts the pairs (a, c), (c, a), (c, b) and (c, c), which never recur in a later
// step, so that the compiler cannot reuse one. The codes, mixed by three multiplications, give the
// number that replaces the oldest. The multiplications run on the FMA pipe and the conversions on
// the ALU (Nsight Compute's documentation, "Pipelines"), so that with seven instructions for four
// conversions neither the other pipe nor instruction issue is the bottleneck.
#pragma once

#include <bit>
#include <cmath>

#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels::cores {

inline constexpr std::uint32_t kMix = 0x9e3779b1u;  // odd, with no bit pattern

// A format is a struct with kInstruction, kLowestExponent and kExponents (the octaves of the random
// numbers), and convert(a, b, c, mix) on the device and host_convert(a, b, c, mix), which return
// the codes of those four pairs mixed into 32 bits.
template <typename Format>
struct NarrowConversion {
  struct Value {
    float a;
    float b;
    float c;
  };
  struct Constants {
    std::uint32_t mix;
    std::uint32_t range;  // range of the bits of a number whose exponent is below kExponents
    float scale;          // from there to the requested octaves
  };
  static constexpr const char* kInstruction = Format::kInstruction;
  static constexpr int kChains = 4;
  static constexpr double kCounted = 8;

  // The programming guide's table has no row for packed conversions. Expected: 64 per clock and SM.
  static double steps_per_clock(int) { return 64.0 / 4; }
  static double peak_per_clock(int) { return 0; }

  static Constants constants() {
    return {kMix, static_cast<std::uint32_t>(Format::kExponents) << 23,
            std::ldexp(1.0f, 127 + Format::kLowestExponent)};
  }
  // The first has either sign; all following numbers are positive.
  static Value draw(std::mt19937_64& engine) {
    const auto number = [&] {
      std::uniform_int_distribution<int> octave(Format::kLowestExponent,
                                                Format::kLowestExponent + Format::kExponents - 1);
      const float magnitude = std::uniform_real_distribution<float>(1.0f, 2.0f)(engine);
      return std::ldexp(engine() % 2 == 0 ? magnitude : -magnitude, octave(engine));
    };
    const float a = number();
    const float b = number();
    return {a, b, number()};
  }

  // The upper half of a product with the range is a random number below the range: an exponent and
  // digits uniformly distributed over the octaves, which the second product shifts to their place.
  // (mad.hi would need its addend in a register pair, or would be followed by an addition on the
  // ALU.)
  static __device__ __forceinline__ void step(Value& p, const Constants& k) {
    const std::uint32_t mixed = Format::convert(p.a, p.b, p.c, k.mix);
    p.a = p.b;
    p.b = p.c;
    p.c = __fmul_rn(__uint_as_float(__umulhi(mixed, k.range)), k.scale);
  }
  static void reference(Value& p, const Constants& k) {
    const std::uint64_t mixed = Format::host_convert(p.a, p.b, p.c, k.mix);
    p.a = p.b;
    p.b = p.c;
    p.c = std::bit_cast<float>(static_cast<std::uint32_t>(mixed * k.range >> 32)) * k.scale;
  }
  static bool agree(const Value& got, const Value& expected) {
    return got.a == expected.a && got.b == expected.b && got.c == expected.c;
  }
};

}  // namespace mansard::kernels::cores
