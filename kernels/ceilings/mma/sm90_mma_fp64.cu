// SPDX-License-Identifier: Apache-2.0
// FP64 ceiling of Hopper's tensor cores with mma.sync, because wgmma has no FP64.
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp64 : TensorFormat<element::Fp64, Precision::fp64, kFp64FractionBits, Fp64Accumulators> {
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f64.f64.f64.f64";
  static constexpr int kM = 16;
  static constexpr int kK = 16;

  static __device__ __forceinline__ void multiply(double (&d)[4], const double (&a)[8],
                                                  const double (&b)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
};

}  // namespace

// 256 FLOP per clock and SM. H100 whitepaper: 66.9 TFLOP/s with 132 SMs at 1.98 GHz.
void register_sm90_mma_fp64(KernelRegistry& registry) {
  registry.add(mma_sync::mma_sync_spec<Fp64>(
      "mma_fp64_m16n8k16", "FP64 tensor cores via mma.sync m16n8k16, operands in registers",
      needs_at_least(90), {{90, 256}}));
}

}  // namespace mansard::kernels
