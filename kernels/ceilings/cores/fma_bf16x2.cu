// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include "kernels/ceilings/cores/packed_fma.cuh"

namespace mansard::kernels {
namespace {

struct Bf16x2 {
  static constexpr const char* kInstruction = "fma.rn.bf16x2";
  static constexpr double kCheckScale = cores::kBf16CheckScale;

  // CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
  static double results_per_clock(int cc) { return cc < 90 ? 128 : 256; }

  static std::uint32_t bits(double x) { return __nv_bfloat16_raw(__double2bfloat16(x)).x; }
  static double value(std::uint32_t bits) {
    __nv_bfloat16_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    return __bfloat162float(__nv_bfloat16(raw));
  }
  static __device__ __forceinline__ void fma(std::uint32_t& x, std::uint32_t scale,
                                             std::uint32_t offset) {
    asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(scale), "r"(offset));
  }
};

}  // namespace

void register_fma_bf16x2(KernelRegistry& registry) {
  registry.add(cores::packed_fma_spec<Bf16x2>(
      "fma_bf16x2", "Packed BF16x2 fused multiply-add on the CUDA cores", Precision::bf16));
}

}  // namespace mansard::kernels
