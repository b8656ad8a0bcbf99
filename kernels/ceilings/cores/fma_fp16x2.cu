// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#include "kernels/ceilings/cores/packed_fma.cuh"

namespace mansard::kernels {
namespace {

struct Fp16x2 {
  static constexpr const char* kInstruction = "fma.rn.f16x2";
  static constexpr double kCheckScale = cores::kFp16CheckScale;

  // CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
  static double results_per_clock(int cc) { return cc == 86 || cc == 89 ? 128 : 256; }

  static std::uint32_t bits(double x) { return __half_raw(__double2half(x)).x; }
  static double value(std::uint32_t bits) {
    __half_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    return __half2float(__half(raw));
  }
  static __device__ __forceinline__ void fma(std::uint32_t& x, std::uint32_t scale,
                                             std::uint32_t offset) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(scale), "r"(offset));
  }
};

}  // namespace

void register_fma_fp16x2(KernelRegistry& registry) {
  registry.add(cores::packed_fma_spec<Fp16x2>(
      "fma_fp16x2", "Packed FP16x2 fused multiply-add on the CUDA cores", Precision::fp16));
}

}  // namespace mansard::kernels
