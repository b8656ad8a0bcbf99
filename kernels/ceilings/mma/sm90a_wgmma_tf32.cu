// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Tf32 {
  using Element = element::Tf32;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::tf32;
  static constexpr const char* kInstruction = "wgmma.m64n256k8.f32.tf32.tf32";
  static constexpr int kFractionBits = kFp32FractionBits;

  static __device__ __forceinline__ void multiply(
      Accumulators::Register (&d)[wgmma::kRegisters<Accumulators>],
      const std::uint32_t (&a)[wgmma::kRegistersA], std::uint64_t b) {
    MANSARD_WGMMA_M64N256(128, "+f", "m64n256k8.f32.tf32.tf32", "1, 1, 1", d, a, b);
  }
};

}  // namespace

// 2048 FLOP a clock and SM: H100 whitepaper, 494.7 TFLOP/s over 132 SMs at 1.83 GHz.
void register_sm90a_wgmma_tf32(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Tf32>(
      "wgmma_tf32", "TF32 tensor cores by wgmma, A in registers, B in shared memory", 2048));
}

}  // namespace mansard::kernels
