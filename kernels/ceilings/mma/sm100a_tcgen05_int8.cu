// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Int8 {
  using Element = element::Int8;
  using Accumulators = Int32Accumulators;
  static constexpr Precision kPrecision = Precision::int8;
  static constexpr const char* kInstruction = "tcgen05.mma.cta_group::1.kind::i8 m128n256k32";
  static constexpr int kFractionBits = kExactFractionBits;
  static constexpr tcgen05::Product kProduct = {
      .sum = tcgen05::type::kSumS32, .operands = tcgen05::type::kS8, .m = kTileM, .n = kTileN};

  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                                  std::uint32_t descriptor,
                                                  std::uint32_t accumulate) {
    MANSARD_TCGEN05_MMA("i8", d, a, b, descriptor, accumulate);
  }
};

}  // namespace

// 16384 op a clock and SM: B200 datasheet, 4500 Top/s over 148 SMs at 1.86 GHz. Sums that run past
// 32 bits while it is timed wrap around; a check's are far from it.
void register_sm100a_tcgen05_int8(KernelRegistry& registry) {
  registry.add(tcgen05::tcgen05_spec<Int8>("tcgen05_int8", "INT8 tensor cores", 16384));
}

}  // namespace mansard::kernels
