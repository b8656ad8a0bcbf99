// SPDX-License-Identifier: Apache-2.0
// Rate of conversions from E4M3 to FP16, two per instruction: the cost of FP8 weights that are
// multiplied in FP16. A chain holds four codes. The bits of the four converted numbers, mixed by
// one integer multiply-add on the FMA pipe, are the next four codes. (The lowest code is always
// zero, because the lowest digits of an E4M3 number in FP16 are zero.)
#include <bit>

#include "kernels/ceilings/cores/core_ceiling.cuh"
#include "kernels/formats/fp8_format.h"

namespace mansard::kernels {
namespace {

struct CvtE4m3ToFp16 {
  using Value = std::uint32_t;
  struct Constants {
    std::uint32_t mix;
  };
  static constexpr const char* kInstruction = "cvt.rn.f16x2.e4m3x2";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 4;

  // The programming guide's table has no row for packed conversions. Expected: 64 per clock and SM.
  static double steps_per_clock(int) { return 64.0 / 2; }
  static double peak_per_clock(int) { return 0; }

  static Constants constants() { return {0x9e3779b1u}; }
  static std::uint32_t draw(std::mt19937_64& engine) {
    return static_cast<std::uint32_t>(engine());
  }
  // The upper two are multiplied: they have random digits in both halves of the register, which the
  // product spreads over all bits except the lowest seven.
  static __device__ __forceinline__ void step(std::uint32_t& x, const Constants& k) {
    asm volatile(
        "{ .reg .b16 low, high; .reg .b32 u, v;"
        "  mov.b32 {low, high}, %0;"
        "  cvt.rn.f16x2.e4m3x2 u, low;"
        "  cvt.rn.f16x2.e4m3x2 v, high;"
        "  mad.lo.u32 %0, v, %1, u; }"
        : "+r"(x)
        : "r"(k.mix));
  }

  static std::uint32_t fp16_bits(std::uint32_t code) {
    if ((code & 0x7f) == fp8::kNanCode) return 0x7fff;  // FP16's canonical NaN has no sign
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(
        fp8::decode(fp8::Format::e4m3, static_cast<std::uint8_t>(code)));
    const std::uint32_t sign = bits >> 16 & 0x8000;
    if ((bits & 0x7fffffff) == 0) return sign;
    // Every other E4M3 number is a normal FP16 number.
    return sign | ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10));
  }
  static std::uint32_t fp16_pair(std::uint32_t codes) {
    return fp16_bits(codes >> 8 & 0xff) << 16 | fp16_bits(codes & 0xff);
  }
  static void reference(std::uint32_t& x, const Constants& k) {
    x = fp16_pair(x >> 16) * k.mix + fp16_pair(x);
  }
  static bool agree(std::uint32_t got, std::uint32_t expected) { return got == expected; }
};

}  // namespace

void register_sm89_cvt_e4m3x2_f16x2(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<CvtE4m3ToFp16>(
      "cvt_e4m3x2_f16x2", "Conversion of FP8 E4M3 pairs to FP16, counted in elements");
  spec.unit = "op/s";
  spec.fixed_pattern = "random codes";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 89 ? "" : "needs compute capability 8.9 or higher";
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
