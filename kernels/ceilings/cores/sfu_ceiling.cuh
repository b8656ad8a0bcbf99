// SPDX-License-Identifier: Apache-2.0
// Ceilings of the special function unit. Iterated alone, each of its functions converges to a fixed
// point and loses its start value, so each chain is a particle that oscillates about its rest
// position with a force that decreases with x: v += k * (f(x) - f(rest)); x += v. Its position
// depends on the number of steps, and an error of f does not grow. The three additional
// instructions run on the FMA pipe, which has at least four lanes per lane of this unit.
#pragma once

#include <cmath>

#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels::cores {

inline constexpr float kStiffness = 0x1p-4f;
inline constexpr const char* kSwingData = "random places in [0.5, 1.5)";

// A function is a struct with kInstruction, kAtRest (its value at 1), approximate(x) on the device
// and exact(x) on the host.
template <typename Function>
struct SpecialFunction {
  struct Value {
    float x;
    float v;
  };
  struct Constants {
    float stiffness;
    float minus_rest;  // -k * f(rest)
  };
  static constexpr const char* kInstruction = Function::kInstruction;
  static constexpr int kChains = 4;
  static constexpr double kCounted = 1;

  // 16 results per clock and SM (CUDA C++ Programming Guide, "Throughput of Native Arithmetic
  // Instructions": reciprocal square root, base-2 exponential), CC 8.x and 9.0.
  static double steps_per_clock(int) { return 16; }
  static double peak_per_clock(int cc) { return cc >= 80 && cc <= 90 ? 16 : 0; }

  static Constants constants() { return {kStiffness, -kStiffness * Function::kAtRest}; }
  static Value draw(std::mt19937_64& engine) {
    return {std::uniform_real_distribution<float>(0.5f, 1.5f)(engine), 0.0f};
  }
  static __device__ __forceinline__ void step(Value& p, const Constants& k) {
    const float pull = Function::approximate(p.x);
    p.v = __fmaf_rn(k.stiffness, pull, __fadd_rn(p.v, k.minus_rest));
    p.x = __fadd_rn(p.x, p.v);
  }
  static void reference(Value& p, const Constants& k) {
    p.v = std::fma(k.stiffness, Function::exact(p.x), p.v + k.minus_rest);
    p.x += p.v;
  }
  // Both functions have an error of at most 2 ulp (CUDA C++ Programming Guide, "Mathematical
  // Functions", exp2f and rsqrtf), so the error of v in a step is 2^-22 * k * f(0.5) < 2^-25. The
  // particle oscillates at 0.14 rad per step or faster, so that an error of v moves x by at most 7
  // times as much, and 80 steps add up to less than 80 * 7 * 2^-25 = 1.7e-5. FP32's own rounding,
  // which is the same on both sides until they diverge, at most doubles it. A skipped step moves x
  // by 1e-2.
  static bool agree(const Value& got, const Value& expected) {
    return std::fabs(got.x - expected.x) < 5e-5f;
  }
};

}  // namespace mansard::kernels::cores
