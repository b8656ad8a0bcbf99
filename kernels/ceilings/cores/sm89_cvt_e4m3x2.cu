// SPDX-License-Identifier: Apache-2.0
// Rate of conversions from FP32 to E4M3, two per instruction, as used by FP8 quantization.
#include "kernels/ceilings/cores/narrow_conversion.cuh"
#include "kernels/formats/fp8_format.h"

namespace mansard::kernels {
namespace {

struct E4m3 {
  static constexpr const char* kInstruction = "cvt.rn.satfinite.e4m3x2.f32";
  // From half the smallest E4M3 number, 2^-9, to beyond the largest, 448.
  static constexpr int kLowestExponent = -10;
  static constexpr int kExponents = 20;

  static __device__ __forceinline__ std::uint32_t convert(float a, float b, float c,
                                                          std::uint32_t mix) {
    std::uint32_t mixed;
    asm volatile(
        "{ .reg .b16 ac, ca, cb, cc; .reg .b32 u, v;"
        "  cvt.rn.satfinite.e4m3x2.f32 ac, %1, %3;"
        "  cvt.rn.satfinite.e4m3x2.f32 ca, %3, %1;"
        "  cvt.rn.satfinite.e4m3x2.f32 cb, %3, %2;"
        "  cvt.rn.satfinite.e4m3x2.f32 cc, %3, %3;"
        "  mov.b32 u, {cc, ca};"
        "  mov.b32 v, {cb, ac};"
        "  mad.lo.u32 %0, u, %4, v; }"
        : "=r"(mixed)
        : "f"(a), "f"(b), "f"(c), "r"(mix));
    return mixed;
  }
  // The first number of a pair goes to the upper half.
  static std::uint32_t host_convert(float a, float b, float c, std::uint32_t mix) {
    const std::uint32_t x = fp8::encode<fp8::Format::e4m3>(a);
    const std::uint32_t y = fp8::encode<fp8::Format::e4m3>(b);
    const std::uint32_t z = fp8::encode<fp8::Format::e4m3>(c);
    const std::uint32_t u = (z << 8 | x) << 16 | (z << 8 | z);
    const std::uint32_t v = (x << 8 | z) << 16 | (z << 8 | y);
    return u * mix + v;
  }
};

}  // namespace

void register_sm89_cvt_e4m3x2(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<cores::NarrowConversion<E4m3>>(
      "cvt_e4m3x2", "Conversion of FP32 pairs to FP8 E4M3, counted in elements");
  spec.unit = "op/s";
  spec.fixed_pattern = "random numbers over E4M3's range";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 89 ? "" : "needs compute capability 8.9 or higher";
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
