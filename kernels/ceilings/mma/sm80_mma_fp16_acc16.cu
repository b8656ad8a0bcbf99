// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp16Acc16 {
  using Element = element::Fp16;
  using Accumulators = Fp16Accumulators;
  static constexpr Precision kPrecision = Precision::fp16;
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f16.f16.f16.f16";
  static constexpr int kM = 16;
  static constexpr int kK = 16;
  static constexpr int kFractionBits = kFp16FractionBits;

  static __device__ __forceinline__ void multiply(std::uint32_t (&d)[2],
                                                  const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

}  // namespace

// The whitepapers give the rate of FP32 accumulation here, too (see sm80_mma_fp16.cu). No roof:
// sums of 11 bits are too short for training.
void register_sm80_mma_fp16_acc16(KernelRegistry& registry) {
  KernelSpec spec = mma_sync::mma_sync_spec<Fp16Acc16>(
      "mma_fp16_acc16", "FP16 tensor cores by mma.sync, sums in FP16, operands in registers",
      needs_at_least(80), {{80, 2048}, {90, 4096}});
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
