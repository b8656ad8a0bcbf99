// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include "kernels/mma/wgmma_ceiling.cuh"

namespace mansard {
namespace {

struct Bf16 {
  using Element = __nv_bfloat16;
  static constexpr Precision kPrecision = Precision::bf16;
  static constexpr const char* kInstruction = "wgmma.m64n256k16.f32.bf16.bf16";
  static constexpr int kK = 16;
  static constexpr int kFractionBits = 22;  // FP32 accumulation, truncated

  static __device__ __forceinline__ void multiply(float (&d)[wgmma::kAccumulators], std::uint64_t a,
                                                  std::uint64_t b) {
    MANSARD_WGMMA_M64N256("m64n256k16.f32.bf16.bf16", ", 0, 0", d, a, b);
  }
  static Element encode(float x) { return __float2bfloat16(x); }
  static double decode(Element e) { return __bfloat162float(e); }
};

}  // namespace

// 4096 FLOP a clock and SM: H100 whitepaper, 989.4 TFLOP/s over 132 SMs at 1.83 GHz.
void register_sm90a_wgmma_bf16(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Bf16>(
      "wgmma_bf16", "BF16 tensor cores by wgmma, operands in shared memory", 4096));
}

}  // namespace mansard
