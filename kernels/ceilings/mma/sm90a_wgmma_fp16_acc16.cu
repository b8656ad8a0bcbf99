// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp16Acc16 {
  using Element = element::Fp16;
  using Accumulators = Fp16Accumulators;
  static constexpr Precision kPrecision = Precision::fp16;
  static constexpr const char* kInstruction = "wgmma.m64n256k16.f16.f16.f16";
  static constexpr int kFractionBits = kFp16FractionBits;

  static __device__ __forceinline__ void multiply(
      Accumulators::Register (&d)[wgmma::kRegisters<Accumulators>],
      const std::uint32_t (&a)[wgmma::kRegistersA], std::uint64_t b) {
    MANSARD_WGMMA_M64N256(64, "+r", "m64n256k16.f16.f16.f16", "1, 1, 1, 0", d, a, b);
  }
};

}  // namespace

// 4096 FLOP a clock and SM: the H100 whitepaper gives the rate of FP32 accumulation here, too. No
// roof: sums of 11 bits are too short for training.
void register_sm90a_wgmma_fp16_acc16(KernelRegistry& registry) {
  KernelSpec spec = wgmma::wgmma_spec<Fp16Acc16>(
      "wgmma_fp16_acc16",
      "FP16 tensor cores by wgmma, sums in FP16, A in registers, B in shared memory", 4096);
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
