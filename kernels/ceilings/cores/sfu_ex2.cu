// SPDX-License-Identifier: Apache-2.0
// Rate of base-2 exponentials, which limits softmax and SwiGLU.
#include "kernels/ceilings/cores/sfu_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Ex2 {
  static constexpr const char* kInstruction = "ex2.approx.ftz.f32";
  static constexpr float kAtRest = 0.5f;

  // Without .ftz the compiler would scale small arguments. The sign is an operand's modifier.
  static __device__ __forceinline__ float approximate(float x) {
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(-x));
    return y;
  }
  static float exact(float x) { return static_cast<float>(std::exp2(-static_cast<double>(x))); }
};

}  // namespace

void register_sfu_ex2(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<cores::SpecialFunction<Ex2>>(
      "sfu_ex2", "Base-2 exponential on the special function units");
  spec.unit = "op/s";
  spec.fixed_pattern = cores::kSwingData;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
