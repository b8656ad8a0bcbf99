// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Tf32 {
  using Element = element::Tf32;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::tf32;
  static constexpr const char* kInstruction = "mma.sync.m16n8k8.f32.tf32.tf32.f32";
  static constexpr int kM = 16;
  static constexpr int kK = 8;
  static constexpr int kFractionBits = kFp32FractionBits;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    MANSARD_MMA_SYNC("m16n8k8.row.col.f32.tf32.tf32.f32", "+f", d, a, b);
  }
};

}  // namespace

// FLOP a clock and SM: A100 whitepaper (156 TFLOP/s, 108 SMs, 1.41 GHz) and H100 whitepaper (494.7
// TFLOP/s, 132 SMs, 1.83 GHz).
void register_sm80_mma_tf32(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Tf32>("mma_tf32",
                                             "TF32 tensor cores by mma.sync, operands in registers",
                                             needs_at_least(80), {{80, 1024}, {90, 2048}}));
}

}  // namespace mansard::kernels
