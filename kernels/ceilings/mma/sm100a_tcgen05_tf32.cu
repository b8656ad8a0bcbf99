// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Tf32 {
  using Element = element::Tf32;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::tf32;
  static constexpr const char* kInstruction = "tcgen05.mma.cta_group::1.kind::tf32 m128n256k8";
  static constexpr int kFractionBits = kFp32FractionBits;
  static constexpr tcgen05::Product kProduct = {
      .sum = tcgen05::type::kSumF32, .operands = tcgen05::type::kTf32, .m = kTileM, .n = kTileN};

  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                                  std::uint32_t descriptor,
                                                  std::uint32_t accumulate) {
    MANSARD_TCGEN05_MMA("tf32", d, a, b, descriptor, accumulate);
  }
};

}  // namespace

// 4096 FLOP a clock and SM: B200 datasheet, 1125 TFLOP/s over 148 SMs at 1.86 GHz.
void register_sm100a_tcgen05_tf32(KernelRegistry& registry) {
  registry.add(tcgen05::tcgen05_spec<Tf32>("tcgen05_tf32", "TF32 tensor cores", 4096));
}

}  // namespace mansard::kernels
