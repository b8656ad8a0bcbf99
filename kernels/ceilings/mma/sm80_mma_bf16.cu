// SPDX-License-Identifier: Apache-2.0
// Ampere's matrix instruction, which every later GPU still has: on Hopper it shows what programs
// that were not rewritten for wgmma can reach.
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Bf16 {
  using Element = element::Bf16;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::bf16;
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f32.bf16.bf16.f32";
  static constexpr int kM = 16;
  static constexpr int kK = 16;
  static constexpr int kFractionBits = kFp32FractionBits;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    MANSARD_MMA_SYNC("m16n8k16.row.col.f32.bf16.bf16.f32", "+f", d, a, b);
  }
};

}  // namespace

// FLOP a clock and SM: A100 whitepaper (312 TFLOP/s, 108 SMs, 1.41 GHz) and H100 whitepaper (989.4
// TFLOP/s, 132 SMs, 1.83 GHz).
void register_sm80_mma_bf16(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Bf16>("mma_bf16",
                                             "BF16 tensor cores by mma.sync, operands in registers",
                                             needs_at_least(80), {{80, 2048}, {90, 4096}}));
}

}  // namespace mansard::kernels
