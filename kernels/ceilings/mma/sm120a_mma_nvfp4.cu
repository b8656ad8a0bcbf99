// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_block_scaled.cuh"

namespace mansard::kernels {
namespace {

struct Nvfp4 {
  using Element = element::E2m1;
  using Accumulators = Fp32Accumulators;
  using Scale = element::Ue4m3;
  static constexpr Precision kPrecision = Precision::nvfp4;
  static constexpr const char* kInstruction =
      "mma.sync.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.f32.e2m1.e2m1.f32.ue4m3";
  static constexpr int kM = 16;
  static constexpr int kK = 64;
  static constexpr int kScaleBlock = 16;
  static constexpr int kFractionBits = kFp8FractionBits;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2],
                                                  std::uint32_t scales_a, std::uint32_t scales_b) {
    MANSARD_MMA_SYNC_SCALED(
        "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", d, a,
        b, scales_a, scales_b);
  }
};

}  // namespace

// 4096 FLOP a clock and SM: NVIDIA RTX Blackwell whitepaper, RTX 5090, 1676 TFLOP/s over 170 SMs at
// 2.407 GHz.
void register_sm120a_mma_nvfp4(KernelRegistry& registry) {
  registry.add(mma_sync::block_scaled_spec<Nvfp4>("mma_nvfp4", "NVFP4 tensor cores", 4096));
}

}  // namespace mansard::kernels
