// SPDX-License-Identifier: Apache-2.0
// The CUDA cores' FP16 ceiling: two values to a register. No roof for FP16 programs, whose products
// belong on the tensor cores; it bounds what is done between them.
#include <cuda_fp16.h>

#include "kernels/cores/affine_chain.cuh"
#include "kernels/cores/core_ceiling.cuh"

namespace mansard {
namespace {

struct FmaFp16x2 {
  using Value = std::uint32_t;
  struct Constants {
    std::uint32_t scale;
    std::uint32_t offset;
  };
  static constexpr const char* kInstruction = "fma.rn.f16x2";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 4;

  // 256 results a clock and SM on CC 8.0 and 9.0, 128 on 8.6 and 8.9 (CUDA C++ Programming Guide,
  // "Throughput of Native Arithmetic Instructions"); half as many steps.
  static double steps_per_clock(int cc) { return cc == 86 || cc == 89 ? 64 : 128; }
  static double peak_per_clock(int cc) {
    return cc >= 80 && cc <= 90 ? kCounted * steps_per_clock(cc) : 0;
  }

  static std::uint32_t bits(double x) { return __half_raw(__double2half(x)).x; }
  static double value(std::uint32_t bits) {
    __half_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    return __half2float(__half(raw));
  }
  static std::uint32_t pair(double high, double low) { return bits(high) << 16 | bits(low); }

  static Constants constants() { return both(cores::kNarrowScale); }
  static Constants check_constants() { return both(cores::kFp16CheckScale); }
  static Constants both(double scale) {
    return {pair(scale, scale), pair(cores::kOffset, cores::kOffset)};
  }
  static std::uint32_t draw(std::mt19937_64& engine) {
    const double high = cores::draw_start(engine);
    return pair(high, cores::draw_start(engine));
  }
  static __device__ __forceinline__ void step(std::uint32_t& x, const Constants& k) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(k.scale), "r"(k.offset));
  }
  // Exact in FP64 until the one rounding.
  static void reference(std::uint32_t& x, const Constants& k) {
    const double scale = value(k.scale & 0xffff);
    x = pair(scale * value(x >> 16) + cores::kOffset, scale * value(x & 0xffff) + cores::kOffset);
  }
  static bool agree(std::uint32_t got, std::uint32_t expected) { return got == expected; }
};

}  // namespace

void register_fma_fp16x2(KernelRegistry& registry) {
  KernelSpec spec =
      cores::core_spec<FmaFp16x2>("fma_fp16x2", "FP16 fused multiply-add, two a lane, CUDA cores");
  spec.precision = Precision::fp16;
  spec.roof = false;
  spec.fixed_data = cores::kAffineData;
  registry.add(std::move(spec));
}

}  // namespace mansard
