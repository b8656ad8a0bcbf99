// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp16 {
  using Element = element::Fp16;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp16;
  static constexpr const char* kInstruction = "wgmma.m64n256k16.f32.f16.f16";
  static constexpr int kFractionBits = kFp32FractionBits;

  static __device__ __forceinline__ void multiply(
      Accumulators::Register (&d)[wgmma::kRegisters<Accumulators>],
      const std::uint32_t (&a)[wgmma::kRegistersA], std::uint64_t b) {
    MANSARD_WGMMA_M64N256(128, "+f", "m64n256k16.f32.f16.f16", "1, 1, 1, 0", d, a, b);
  }
};

}  // namespace

// 4096 FLOP a clock and SM: H100 whitepaper, 989.4 TFLOP/s over 132 SMs at 1.83 GHz.
void register_sm90a_wgmma_fp16(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Fp16>(
      "wgmma_fp16", "FP16 tensor cores by wgmma, A in registers, B in shared memory", 4096));
}

}  // namespace mansard::kernels
