// SPDX-License-Identifier: Apache-2.0
// Rate of 32-bit integer multiply-adds on the CUDA cores: each chain is a linear congruential
// generator, so that the numbers stay random for any duration.
#include "kernels/ceilings/cores/core_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct ImadInt32 {
  using Value = std::uint32_t;
  struct Constants {
    std::uint32_t multiplier;
    std::uint32_t increment;
  };
  static constexpr const char* kInstruction = "mad.lo.u32";
  static constexpr int kChains = 8;
  static constexpr double kCounted = 2;

  // 64 results per clock and SM on CC 8.x and 9.0 (CUDA C++ Programming Guide, "Throughput of
  // Native Arithmetic Instructions").
  static double steps_per_clock(int) { return 64; }
  static double peak_per_clock(int cc) { return cc >= 80 && cc <= 90 ? kCounted * 64 : 0; }

  // Full period: the multiplier is 1 modulo 4, the increment odd (Hull and Dobell, 1962).
  static Constants constants() { return {1664525u, 1013904223u}; }
  static std::uint32_t draw(std::mt19937_64& engine) {
    return static_cast<std::uint32_t>(engine());
  }
  static __device__ __forceinline__ void step(std::uint32_t& x, const Constants& k) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(k.multiplier), "r"(k.increment));
  }
  static void reference(std::uint32_t& x, const Constants& k) {
    x = x * k.multiplier + k.increment;
  }
  static bool agree(std::uint32_t got, std::uint32_t expected) { return got == expected; }
};

}  // namespace

void register_imad_int32(KernelRegistry& registry) {
  KernelSpec spec = cores::core_spec<ImadInt32>(
      "imad_int32", "32-bit integer multiply-add on the CUDA cores, counted as two operations");
  spec.unit = "op/s";
  spec.fixed_pattern = "random integers";
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
