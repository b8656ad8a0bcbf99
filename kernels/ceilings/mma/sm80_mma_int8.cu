// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Int8 {
  using Element = element::Int8;
  using Accumulators = Int32Accumulators;
  static constexpr Precision kPrecision = Precision::int8;
  static constexpr const char* kInstruction = "mma.sync.m16n8k32.s32.s8.s8.s32";
  static constexpr int kM = 16;
  static constexpr int kK = 32;
  static constexpr int kFractionBits = kExactFractionBits;

  static __device__ __forceinline__ void multiply(std::int32_t (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    MANSARD_MMA_SYNC("m16n8k32.row.col.s32.s8.s8.s32", "+r", d, a, b);
  }
};

}  // namespace

// op a clock and SM: A100 whitepaper (624 Top/s, 108 SMs, 1.41 GHz) and H100 whitepaper (1978.9
// Top/s, 132 SMs, 1.83 GHz). Sums that run past 32 bits while it is timed wrap around; a check's
// are far from it.
void register_sm80_mma_int8(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Int8>("mma_int8",
                                             "INT8 tensor cores by mma.sync, operands in registers",
                                             needs_at_least(80), {{80, 4096}, {90, 8192}}));
}

}  // namespace mansard::kernels
