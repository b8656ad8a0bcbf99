// SPDX-License-Identifier: Apache-2.0
// NVFP4 on the GPUs of compute capability 12.0, whose tensor cores take block-scaled operands from
// registers. Compiled by every build with CUDA; not yet run on such a GPU.
#include <array>
#include <cmath>

#include "kernels/mma/mma_sync_ceiling.cuh"

namespace mansard {
namespace {

struct Nvfp4 {
  static constexpr Precision kPrecision = Precision::nvfp4;
  static constexpr const char* kInstruction =
      "mma.sync.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.f32.e2m1.e2m1.f32.ue4m3";
  static constexpr int kBits = 4;
  static constexpr int kElements = 8;
  static constexpr int kFractionBits = 22;

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    // Every block scale is 1 (0x38 in E4M3): the rate does not depend on the scales' values, and
    // the check then needs no layout of scales.
    constexpr std::uint32_t kOnes = 0x38383838;
    constexpr std::uint16_t kFirst = 0;  // byte and thread selectors of the scale registers
    asm volatile(
        "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col"
        ".f32.e2m1.e2m1.f32.ue4m3 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3}, {%10}, {%11, %11}, {%10}, {%11, %11};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(kOnes),
          "h"(kFirst));
#endif
  }

  static constexpr std::array<double, 8> kMagnitudes = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

  // The nearest value; on ties the smaller: a pattern for a ceiling, not the quantiser's rounding.
  static std::uint32_t encode(float x) {
    std::uint32_t best = 0;
    for (std::uint32_t code = 1; code < 8; ++code) {
      if (std::fabs(std::fabs(x) - kMagnitudes[code]) <
          std::fabs(std::fabs(x) - kMagnitudes[best])) {
        best = code;
      }
    }
    return best | (x < 0 ? 8u : 0u);
  }
  static double decode(std::uint32_t bits) {
    return (bits & 8u) != 0 ? -kMagnitudes[bits & 7u] : kMagnitudes[bits & 7u];
  }
};

}  // namespace

void register_sm120a_mma_nvfp4(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "mma_nvfp4";
  spec.summary = "NVFP4 tensor cores by block-scaled mma.sync, operands in registers";
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Nvfp4::kPrecision;
  spec.patterned = true;
  spec.sustained = true;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability == 120 ? "" : "needs compute capability 12.0";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<mma_sync::MmaSyncCeiling<Nvfp4>>(device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
