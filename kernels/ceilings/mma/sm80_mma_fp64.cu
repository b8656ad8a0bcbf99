// SPDX-License-Identifier: Apache-2.0
// Ampere's FP64 instruction; on Hopper the larger shapes of sm90_mma_fp64.cu are the faster ones.
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp64 {
  using Element = element::Fp64;
  using Accumulators = Fp64Accumulators;
  static constexpr Precision kPrecision = Precision::fp64;
  static constexpr const char* kInstruction = "mma.sync.m8n8k4.f64.f64.f64.f64";
  static constexpr int kM = 8;
  static constexpr int kK = 4;
  static constexpr int kFractionBits = kFp64FractionBits;

  static __device__ __forceinline__ void multiply(double (&d)[2], const double (&a)[1],
                                                  const double (&b)[1]) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[0]), "d"(b[0]));
  }
};

}  // namespace

// FLOP a clock and SM: A100 whitepaper (19.5 TFLOP/s, 108 SMs, 1.41 GHz) and H100 whitepaper (66.9
// TFLOP/s, 132 SMs, 1.98 GHz).
void register_sm80_mma_fp64(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Fp64>(
      "mma_fp64_m8n8k4", "FP64 tensor cores by mma.sync m8n8k4, operands in registers",
      needs_at_least(80), {{80, 128}, {90, 256}}));
}

}  // namespace mansard::kernels
