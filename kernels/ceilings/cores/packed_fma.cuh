// SPDX-License-Identifier: Apache-2.0
// Fused multiply-adds of two 16-bit values per register. Not roofs: GEMMs of such programs should
// use the tensor cores; these ceilings apply to the element-wise work between them. A format is a
// struct with kInstruction, kCheckScale, results_per_clock(compute capability), bits(x),
// value(bits) and fma(x, scale, offset).
#pragma once

#include "kernels/ceilings/cores/affine_chain.cuh"
#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels::cores {

template <typename Format>
struct PackedFma {
  using Value = std::uint32_t;
  struct Constants {
    std::uint32_t scale;
    std::uint32_t offset;
  };
  static constexpr const char* kInstruction = Format::kInstruction;
  static constexpr int kChains = 8;
  static constexpr double kCounted = 4;

  static double steps_per_clock(int cc) { return Format::results_per_clock(cc) / 2; }
  static double peak_per_clock(int cc) {
    return cc >= 80 && cc <= 90 ? kCounted * steps_per_clock(cc) : 0;
  }

  static std::uint32_t pair(double high, double low) {
    return Format::bits(high) << 16 | Format::bits(low);
  }
  static Constants constants() { return both(kNarrowScale); }
  static Constants check_constants() { return both(Format::kCheckScale); }
  static Constants both(double scale) { return {pair(scale, scale), pair(kOffset, kOffset)}; }

  static std::uint32_t draw(std::mt19937_64& engine) {
    const double high = draw_start(engine);
    return pair(high, draw_start(engine));
  }
  static __device__ __forceinline__ void step(std::uint32_t& x, const Constants& k) {
    Format::fma(x, k.scale, k.offset);
  }
  // Exact in FP64 except for the single rounding.
  static void reference(std::uint32_t& x, const Constants& k) {
    const double scale = Format::value(k.scale & 0xffff);
    x = pair(scale * Format::value(x >> 16) + kOffset, scale * Format::value(x & 0xffff) + kOffset);
  }
  static bool agree(std::uint32_t got, std::uint32_t expected) { return got == expected; }
};

template <typename Format>
KernelSpec packed_fma_spec(std::string name, std::string summary, Precision precision) {
  KernelSpec spec = core_spec<PackedFma<Format>>(std::move(name), std::move(summary));
  spec.precision = precision;
  spec.roof = false;
  spec.fixed_pattern = kAffineData;
  return spec;
}

}  // namespace mansard::kernels::cores
