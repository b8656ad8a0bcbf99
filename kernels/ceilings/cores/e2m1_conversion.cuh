// SPDX-License-Identifier: Apache-2.0
// Conversion from FP32 to E2M1, NVFP4's element. Each architecture's file compiles its own copy;
// the parameter prevents the linker from merging them.
#pragma once

#include "kernels/ceilings/cores/narrow_conversion.cuh"
#include "kernels/formats/e2m1.h"

namespace mansard::kernels::cores {

template <int kArchitecture>
struct E2m1 {
  static constexpr const char* kInstruction = "cvt.rn.satfinite.e2m1x2.f32";
  // From a quarter of the smallest E2M1 number, 0.5, to beyond the largest, 6.
  static constexpr int kLowestExponent = -3;
  static constexpr int kExponents = 6;

  static __device__ __forceinline__ std::uint32_t convert(float a, float b, float c,
                                                          std::uint32_t mix) {
    std::uint32_t mixed;
    asm volatile(
        "{ .reg .b8 ac, ca, cb, cc; .reg .b32 u, bits;"
        "  cvt.rn.satfinite.e2m1x2.f32 ac, %1, %3;"
        "  cvt.rn.satfinite.e2m1x2.f32 ca, %3, %1;"
        "  cvt.rn.satfinite.e2m1x2.f32 cb, %3, %2;"
        "  cvt.rn.satfinite.e2m1x2.f32 cc, %3, %3;"
        "  mov.b32 u, {ac, ca, cb, cc};"
        "  mov.b32 bits, %1;"
        "  mad.lo.u32 %0, bits, %4, u; }"
        : "=r"(mixed)
        : "f"(a), "f"(b), "f"(c), "r"(mix));
    return mixed;
  }
  // The first number of a pair goes to the upper half. The few different codes would soon repeat;
  // the multiplied bits of a keep the numbers random.
  static std::uint32_t host_convert(float a, float b, float c, std::uint32_t mix) {
    const std::uint32_t x = to_e2m1(a);
    const std::uint32_t y = to_e2m1(b);
    const std::uint32_t z = to_e2m1(c);
    const std::uint32_t u =
        (z << 4 | z) << 24 | (z << 4 | y) << 16 | (z << 4 | x) << 8 | (x << 4 | z);
    return std::bit_cast<std::uint32_t>(a) * mix + u;
  }
};

template <int kArchitecture>
KernelSpec e2m1_spec(std::string name, std::string needs) {
  KernelSpec spec = core_spec<NarrowConversion<E2m1<kArchitecture>>>(
      std::move(name), "Conversion of FP32 pairs to FP4 E2M1, counted in elements (untested)");
  spec.unit = "op/s";
  spec.fixed_pattern = "random numbers over E2M1's range";
  spec.unsupported = [needs = std::move(needs)](const DeviceInfo& device) -> std::string {
    return device.compute_capability == kArchitecture ? "" : needs;
  };
  return spec;
}

}  // namespace mansard::kernels::cores
