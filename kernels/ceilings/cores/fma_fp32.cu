// SPDX-License-Identifier: Apache-2.0
// FP32 ceiling of the CUDA cores.
#include <cmath>

#include "kernels/ceilings/cores/affine_chain.cuh"
#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct FmaFp32 {
  using Value = float;
  struct Constants {
    float scale;
    float offset;
  };
  static constexpr const char* kInstruction = "fma.rn.f32";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 2;

  // FP32 lanes per SM: 64 on CC 8.0, 128 on all later ones (CUDA C++ Programming Guide, "Throughput
  // of Native Arithmetic Instructions").
  static double steps_per_clock(int cc) { return cc == 80 ? 64 : 128; }
  static double peak_per_clock(int cc) { return kCounted * steps_per_clock(cc); }

  static Constants constants() {
    return {static_cast<float>(cores::kWideScale), static_cast<float>(cores::kOffset)};
  }
  static float draw(std::mt19937_64& engine) {
    return static_cast<float>(cores::draw_start(engine));
  }
  static __device__ __forceinline__ void step(float& x, const Constants& k) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(k.scale), "f"(k.offset));
  }
  static void reference(float& x, const Constants& k) { x = std::fma(x, k.scale, k.offset); }
  static bool agree(float got, float expected) { return got == expected; }
};

}  // namespace

void register_fma_fp32(KernelRegistry& registry) {
  KernelSpec spec =
      cores::core_spec<FmaFp32>("fma_fp32", "FP32 fused multiply-add on the CUDA cores");
  spec.precision = Precision::fp32;
  spec.fixed_pattern = cores::kAffineData;
  spec.sustained = [](const DeviceInfo&) { return true; };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
