// SPDX-License-Identifier: Apache-2.0
// Rate of conversions from FP32 to BF16, two per instruction. The packed pair is the next FP32
// number without further instructions, because BF16 is FP32's upper half. The lower half is that of
// a negative number, which is more than half an ulp of the upper one, so that every conversion
// rounds up to the next BF16 number. Thus the chain counts its own steps.
#include <bit>

#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct CvtBf16x2 {
  using Value = float;
  struct Constants {
    float low;
  };
  static constexpr const char* kInstruction = "cvt.rn.bf16x2.f32";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 2;

  // The programming guide's table has no row for packed conversions. Expected: the rate of the ALU,
  // which executes them since Ampere (Nsight Compute's documentation, "Pipelines").
  static double steps_per_clock(int) { return 64; }
  static double peak_per_clock(int) { return 0; }

  static Constants constants() { return {-1.2109375f}; }  // a BF16 number
  // 128 steps are an octave. The longest launch, 18000 steps, ends below 2^100.
  static float draw(std::mt19937_64& engine) {
    const int exponent = std::uniform_int_distribution<int>(-100, -50)(engine);
    return std::ldexp(std::uniform_real_distribution<float>(1.0f, 2.0f)(engine), exponent);
  }
  static __device__ __forceinline__ void step(float& x, const Constants& k) {
    std::uint32_t pair;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x), "f"(k.low));
    x = __uint_as_float(pair);
  }
  static std::uint32_t rounded(float x) {  // to nearest, ties to even
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  }
  static void reference(float& x, const Constants& k) {
    x = std::bit_cast<float>(rounded(x) << 16 | rounded(k.low));
  }
  static bool agree(float got, float expected) {
    return std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(expected);
  }
};

}  // namespace

void register_cvt_bf16x2(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<CvtBf16x2>(
      "cvt_bf16x2", "Conversion of FP32 pairs to BF16, counted in elements");
  spec.unit = "op/s";
  spec.fixed_pattern = "successive BF16 numbers";
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
