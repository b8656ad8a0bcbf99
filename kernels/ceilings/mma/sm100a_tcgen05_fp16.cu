// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp16 {
  using Element = element::Fp16;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp16;
  static constexpr const char* kInstruction = "tcgen05.mma.cta_group::1.kind::f16 m128n256k16";
  static constexpr int kFractionBits = kFp32FractionBits;
  static constexpr tcgen05::Product kProduct = {
      .sum = tcgen05::type::kSumF32, .operands = tcgen05::type::kF16, .m = kTileM, .n = kTileN};

  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                                  std::uint32_t descriptor,
                                                  std::uint32_t accumulate) {
    MANSARD_TCGEN05_MMA("f16", d, a, b, descriptor, accumulate);
  }
};

}  // namespace

// 8192 FLOP a clock and SM: B200 datasheet, 2250 TFLOP/s over 148 SMs at 1.86 GHz.
void register_sm100a_tcgen05_fp16(KernelRegistry& registry) {
  registry.add(tcgen05::tcgen05_spec<Fp16>("tcgen05_fp16", "FP16 tensor cores", 8192));
}

}  // namespace mansard::kernels
