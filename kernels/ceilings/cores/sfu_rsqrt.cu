// SPDX-License-Identifier: Apache-2.0
// Rate of reciprocal square roots, which limits normalizations.
#include "kernels/ceilings/cores/sfu_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Rsqrt {
  static constexpr const char* kInstruction = "rsqrt.approx.ftz.f32";
  static constexpr float kAtRest = 1.0f;

  // Without .ftz the compiler would scale small arguments.
  static __device__ __forceinline__ float approximate(float x) {
    float y;
    asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static float exact(float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
  }
};

}  // namespace

void register_sfu_rsqrt(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<cores::SpecialFunction<Rsqrt>>(
      "sfu_rsqrt", "Reciprocal square root on the special function units");
  spec.unit = "op/s";
  spec.fixed_pattern = cores::kSwingData;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
