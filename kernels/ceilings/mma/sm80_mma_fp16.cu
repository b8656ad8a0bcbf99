// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp16 {
  using Element = element::Fp16;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp16;
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f32.f16.f16.f32";
  static constexpr int kM = 16;
  static constexpr int kK = 16;
  static constexpr int kFractionBits = kFp32FractionBits;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    MANSARD_MMA_SYNC("m16n8k16.row.col.f32.f16.f16.f32", "+f", d, a, b);
  }
};

}  // namespace

// FLOP a clock and SM: A100 whitepaper (312 TFLOP/s, 108 SMs, 1.41 GHz) and H100 whitepaper (989.4
// TFLOP/s, 132 SMs, 1.83 GHz).
void register_sm80_mma_fp16(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Fp16>("mma_fp16",
                                             "FP16 tensor cores by mma.sync, operands in registers",
                                             needs_at_least(80), {{80, 2048}, {90, 4096}}));
}

}  // namespace mansard::kernels
