// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp8E4m3 {
  using Element = element::E4m3;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp8_e4m3;
  static constexpr const char* kInstruction = "tcgen05.mma.cta_group::1.kind::f8f6f4 m128n256k32";
  static constexpr int kFractionBits = kFp8FractionBits;
  static constexpr tcgen05::Product kProduct = {
      .sum = tcgen05::type::kSumF32, .operands = tcgen05::type::kE4m3, .m = kTileM, .n = kTileN};

  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                                  std::uint32_t descriptor,
                                                  std::uint32_t accumulate) {
    MANSARD_TCGEN05_MMA("f8f6f4", d, a, b, descriptor, accumulate);
  }
};

}  // namespace

// 16384 FLOP a clock and SM: B200 datasheet, 4500 TFLOP/s over 148 SMs at 1.86 GHz.
void register_sm100a_tcgen05_fp8_e4m3(KernelRegistry& registry) {
  registry.add(tcgen05::tcgen05_spec<Fp8E4m3>("tcgen05_fp8_e4m3", "FP8 E4M3 tensor cores", 16384));
}

}  // namespace mansard::kernels
