// SPDX-License-Identifier: Apache-2.0
// FP64 ceiling of the CUDA cores.
#include <cmath>

#include "kernels/ceilings/cores/affine_chain.cuh"
#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct FmaFp64 {
  using Value = double;
  struct Constants {
    double scale;
    double offset;
  };
  static constexpr const char* kInstruction = "fma.rn.f64";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 2;

  // FP64 lanes per SM (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions");
  // 0: unknown.
  static double lanes(int cc) {
    switch (cc) {
      case 80:
        return 32;
      case 90:
        return 64;
      case 86:
      case 89:
        return 2;
      default:
        return 0;
    }
  }
  static double steps_per_clock(int cc) {
    if (lanes(cc) > 0) return lanes(cc);
    return cc == 100 ? 64 : 2;  // if unknown, a launch that is too short is preferable
  }
  static double peak_per_clock(int cc) { return kCounted * lanes(cc); }

  static Constants constants() { return {cores::kWideScale, cores::kOffset}; }
  static double draw(std::mt19937_64& engine) { return cores::draw_start(engine); }
  static __device__ __forceinline__ void step(double& x, const Constants& k) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(k.scale), "d"(k.offset));
  }
  static void reference(double& x, const Constants& k) { x = std::fma(x, k.scale, k.offset); }
  static bool agree(double got, double expected) { return got == expected; }
};

}  // namespace

void register_fma_fp64(KernelRegistry& registry) {
  KernelSpec spec =
      cores::core_spec<FmaFp64>("fma_fp64", "FP64 fused multiply-add on the CUDA cores");
  spec.precision = Precision::fp64;
  spec.fixed_pattern = cores::kAffineData;
  spec.sustained = [](const DeviceInfo&) { return true; };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
