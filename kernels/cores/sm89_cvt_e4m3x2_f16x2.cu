// SPDX-License-Identifier: Apache-2.0
// The rate of conversions from E4M3 to FP16, two an instruction: what weights kept in FP8 cost
// before they can be multiplied in FP16. A chain holds eight codes; the bits of the eight numbers
// they stand for, mixed by two integer multiply-adds on the FMA pipe, are the next eight codes.
// (Two of them are always zeros, because the lowest digits of an E4M3 number in FP16 are.)
#include <bit>

#include "kernels/cores/core_ceiling.cuh"
#include "kernels/nvfp4/formats.h"

namespace mansard {
namespace {

struct CvtE4m3ToFp16 {
  using Value = std::uint64_t;
  struct Constants {};
  static constexpr const char* kInstruction = "cvt.rn.f16x2.e4m3x2";
  static constexpr int kChains = 4;
  static constexpr double kCounted = 8;

  // The programming guide's table has no row for packed conversions. Expected: 64 a clock and SM.
  static double steps_per_clock(int) { return 64.0 / 4; }
  static double peak_per_clock(int) { return 0; }

  static Constants constants() { return {}; }
  static std::uint64_t draw(std::mt19937_64& engine) { return engine(); }
  static __device__ __forceinline__ void step(std::uint64_t& x, const Constants&) {
    asm volatile(
        "{ .reg .b16 c0, c1, c2, c3; .reg .b32 s, t, u, v, w, z;"
        "  mov.b64 {s, t}, %0;"
        "  mov.b32 {c0, c1}, s;"
        "  mov.b32 {c2, c3}, t;"
        "  cvt.rn.f16x2.e4m3x2 u, c0;"
        "  cvt.rn.f16x2.e4m3x2 v, c1;"
        "  cvt.rn.f16x2.e4m3x2 w, c2;"
        "  cvt.rn.f16x2.e4m3x2 z, c3;"
        "  mad.lo.u32 s, u, v, w;"
        "  mad.lo.u32 t, v, w, z;"
        "  mov.b64 %0, {s, t}; }"
        : "+l"(x));
  }

  static std::uint32_t fp16_bits(std::uint32_t code) {
    if ((code & 0x7f) == nvfp4::kE4m3Nan) return 0x7fff;  // FP16's canonical NaN has no sign
    const std::uint32_t bits =
        std::bit_cast<std::uint32_t>(nvfp4::from_e4m3(static_cast<std::uint8_t>(code)));
    const std::uint32_t sign = bits >> 16 & 0x8000;
    if ((bits & 0x7fffffff) == 0) return sign;
    // Every other E4M3 number is a normal one of FP16.
    return sign | ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10));
  }
  static std::uint32_t fp16_pair(std::uint64_t codes) {
    const auto two = static_cast<std::uint32_t>(codes & 0xffff);
    return fp16_bits(two >> 8) << 16 | fp16_bits(two & 0xff);
  }
  static void reference(std::uint64_t& x, const Constants&) {
    const std::uint32_t u = fp16_pair(x);
    const std::uint32_t v = fp16_pair(x >> 16);
    const std::uint32_t w = fp16_pair(x >> 32);
    const std::uint32_t z = fp16_pair(x >> 48);
    x = static_cast<std::uint64_t>(v * w + z) << 32 | (u * v + w);
  }
  static bool agree(std::uint64_t got, std::uint64_t expected) { return got == expected; }
};

}  // namespace

void register_sm89_cvt_e4m3x2_f16x2(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<CvtE4m3ToFp16>(
      "cvt_e4m3x2_f16x2", "Conversion of FP8 E4M3 pairs to FP16; elements converted");
  spec.unit = "op/s";
  spec.fixed_data = "random codes";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 89 ? "" : "needs compute capability 8.9 or higher";
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
