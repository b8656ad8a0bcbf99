// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_block_scaled.cuh"

namespace mansard::kernels {
namespace {

struct Mxfp8 {
  using Element = element::E4m3;
  using Accumulators = Fp32Accumulators;
  using Scale = element::Ue8m0;
  static constexpr Precision kPrecision = Precision::mxfp8;
  static constexpr const char* kInstruction =
      "mma.sync.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.f32.e4m3.e4m3.f32.ue8m0";
  static constexpr int kM = 16;
  static constexpr int kK = 32;
  static constexpr int kScaleBlock = 32;
  static constexpr int kFractionBits = kFp8FractionBits;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2],
                                                  std::uint32_t scales_a, std::uint32_t scales_b) {
    MANSARD_MMA_SYNC_SCALED(
        "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0", d, a,
        b, scales_a, scales_b);
  }
};

}  // namespace

// Theory not stated: the products of this compute capability differ in it.
void register_sm120a_mma_mxfp8(KernelRegistry& registry) {
  registry.add(mma_sync::block_scaled_spec<Mxfp8>("mma_mxfp8", "MXFP8 (E4M3) tensor cores", 0));
}

}  // namespace mansard::kernels
