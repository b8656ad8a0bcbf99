// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp8E4m3 {
  using Element = element::E4m3;
  using Accumulators = Fp32Accumulators;
  static constexpr Precision kPrecision = Precision::fp8_e4m3;
  static constexpr const char* kInstruction = "wgmma.m64n256k32.f32.e4m3.e4m3";
  static constexpr int kFractionBits = kFp8FractionBits;

  static __device__ __forceinline__ void multiply(
      Accumulators::Register (&d)[wgmma::kRegisters<Accumulators>],
      const std::uint32_t (&a)[wgmma::kRegistersA], std::uint64_t b) {
    MANSARD_WGMMA_M64N256(128, "+f", "m64n256k32.f32.e4m3.e4m3", "1, 1, 1", d, a, b);
  }
};

}  // namespace

// 8192 FLOP a clock and SM: H100 whitepaper, 1978.9 TFLOP/s over 132 SMs at 1.83 GHz.
void register_sm90a_wgmma_fp8_e4m3(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Fp8E4m3>(
      "wgmma_fp8_e4m3", "FP8 E4M3 tensor cores by wgmma, A in registers, B in shared memory",
      8192));
}

}  // namespace mansard::kernels
