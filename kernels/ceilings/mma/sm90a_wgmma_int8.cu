// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Int8 {
  using Element = element::Int8;
  using Accumulators = Int32Accumulators;
  static constexpr Precision kPrecision = Precision::int8;
  static constexpr const char* kInstruction = "wgmma.m64n256k32.s32.s8.s8";
  static constexpr int kFractionBits = kExactFractionBits;

  static __device__ __forceinline__ void multiply(
      Accumulators::Register (&d)[wgmma::kRegisters<Accumulators>],
      const std::uint32_t (&a)[wgmma::kRegistersA], std::uint64_t b) {
    MANSARD_WGMMA_M64N256(128, "+r", "m64n256k32.s32.s8.s8", "1", d, a, b);
  }
};

}  // namespace

// 8192 op a clock and SM: H100 whitepaper, 1978.9 Top/s over 132 SMs at 1.83 GHz. Sums that run
// past 32 bits while it is timed wrap around; a check's are far from it.
void register_sm90a_wgmma_int8(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Int8>(
      "wgmma_int8", "INT8 tensor cores by wgmma, A in registers, B in shared memory", 8192));
}

}  // namespace mansard::kernels
