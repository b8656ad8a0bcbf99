// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp8E5m2 {
  using Element = element::E5m2;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp8_e5m2;
  static constexpr const char* kInstruction = "mma.sync.m16n8k32.f32.e5m2.e5m2.f32";
  static constexpr int kM = 16;
  static constexpr int kK = 32;
  static constexpr int kFractionBits = kFp8FractionBits;
  using ConvertedTo = element::Fp16;  // on compute capability 9.0 and 10.0

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    MANSARD_MMA_SYNC("m16n8k32.row.col.f32.e5m2.e5m2.f32", "+f", d, a, b);
  }
};

}  // namespace

// 8192 FLOP a clock and SM: H100 whitepaper, 1978.9 TFLOP/s over 132 SMs at 1.83 GHz, of the tensor
// pipe; this instruction does not reach its FP8 mode there, only wgmma does. Ada's rate differs
// between products of the same compute capability.
void register_sm89_mma_fp8_e5m2(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Fp8E5m2>("mma_fp8_e5m2",
                                                "FP8 E5M2 tensor cores by mma.sync, operands in "
                                                "registers; converted to FP16 on CC 9, 10",
                                                needs_at_least(89), {{90, 8192}}));
}

}  // namespace mansard::kernels
