// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Mxfp4 {
  using Element = element::E2m1;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::mxfp4;
  static constexpr const char* kInstruction =
      "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X m128n256k64";
  static constexpr int kFractionBits = kFp8FractionBits;
  using Scale = element::Ue8m0;
  static constexpr int kScaleBlock = 32;
  static constexpr tcgen05::ScaledProduct kProduct = {.operands = tcgen05::type::kE2m1,
                                                      .scales = tcgen05::type::kScaleUe8m0,
                                                      .m = kTileM,
                                                      .n = kTileN};

  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                                  std::uint32_t descriptor, std::uint32_t scales_a,
                                                  std::uint32_t scales_b,
                                                  std::uint32_t accumulate) {
    MANSARD_TCGEN05_SCALED_MMA("mxf4.block_scale.scale_vec::2X", d, a, b, descriptor, scales_a,
                               scales_b, accumulate);
  }
};

}  // namespace

// 32768 FLOP a clock and SM: B200 datasheet, 9000 TFLOP/s over 148 SMs at 1.86 GHz.
void register_sm100a_tcgen05_mxfp4(KernelRegistry& registry) {
  registry.add(tcgen05::tcgen05_spec<Mxfp4>("tcgen05_mxfp4", "MXFP4 tensor cores", 32768));
}

}  // namespace mansard::kernels
