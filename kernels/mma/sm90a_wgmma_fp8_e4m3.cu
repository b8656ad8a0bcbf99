// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "kernels/mma/wgmma_ceiling.cuh"

namespace mansard {
namespace {

struct Fp8E4m3 {
  using Element = __nv_fp8_storage_t;
  static constexpr Precision kPrecision = Precision::fp8_e4m3;
  static constexpr const char* kInstruction = "wgmma.m64n256k32.f32.e4m3.e4m3";
  static constexpr int kK = 32;
  // Hopper keeps about 13 fraction bits while it adds FP8 products (DeepSeek-V3 technical report,
  // arXiv 2412.19437, section 3.5.2).
  static constexpr int kFractionBits = 13;

  static __device__ __forceinline__ void multiply(float (&d)[wgmma::kAccumulators], std::uint64_t a,
                                                  std::uint64_t b) {
    MANSARD_WGMMA_M64N256("m64n256k32.f32.e4m3.e4m3", "", d, a, b);
  }
  static Element encode(float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); }
  static double decode(Element e) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(e, __NV_E4M3)));
  }
};

}  // namespace

// 8192 FLOP a clock and SM: H100 whitepaper, 1978.9 TFLOP/s over 132 SMs at 1.83 GHz.
void register_sm90a_wgmma_fp8_e4m3(KernelRegistry& registry) {
  registry.add(wgmma::wgmma_spec<Fp8E4m3>(
      "wgmma_fp8_e4m3", "FP8 E4M3 tensor cores by wgmma, operands in shared memory", 8192));
}

}  // namespace mansard
